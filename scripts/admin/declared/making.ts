import { type AdminApi, AdminApiRefused } from "../admin-api.ts";
import type { PlannedChange } from "./difference.ts";

/**
 * The result of a plan up to the change that failed. It always has the created secrets, so that they are shown in any case.
 */
export interface Made {
  readonly made: number;
  readonly created: readonly { readonly id: string; readonly secret: string }[];
  readonly failure?: string;
}

interface Creation {
  readonly secret?: string;
  readonly app?: { readonly id: string };
  readonly id?: string;
}

/** Makes the changes of a plan one after another, until one fails. */
export async function makeChanges(api: AdminApi, plan: readonly PlannedChange[]): Promise<Made> {
  const created: { id: string; secret: string }[] = [];
  const ids = new Map<string, string>();
  for (const [made, { method, path, idOf, body, version, lines }] of plan.entries()) {
    try {
      const target = idOf === undefined ? path : path.replace("{id}", () => ids.get(idOf) ?? "");
      const { secret, app, id = app?.id } = await api.call<Creation>(method, target, body, version);
      if (method === "POST" && id !== undefined) ids.set(`${path}/${String(body?.["name"])}`, id);
      if (secret !== undefined) created.push({ id: id ?? "", secret });
    } catch (error) {
      return { made, created, failure: `${made} of ${plan.length} changes were made. ${failureOf(lines, error)}` };
    }
  }
  return { made: plan.length, created };
}

function failureOf(lines: readonly string[], error: unknown): string {
  const change = lines.join("; ");
  if (!(error instanceof AdminApiRefused)) {
    const reason = error instanceof Error ? error.message : String(error);
    return `Without an answer: ${change}. ${reason}. Run plan to see whether it was made`;
  }
  const reason =
    error.status === 412 ? "Somebody has changed it since the plan was made: run plan again" : error.message;
  return `Refused: ${change}. ${reason}`;
}
