import { type AdminApi, at } from "../admin-api.ts";
import { UsageError } from "../failures.ts";
import { difference, type Json, type Named, type PlannedChange } from "./difference.ts";

/** Things of one kind that have an id at each instance and a name in the file. */
export interface NamedThings {
  /** The part of the file, such as `apps`. */
  readonly part: string;
  /** The list in the Admin API, such as `/apps`. */
  readonly list: string;
  /** What is stored, by name. */
  readonly stored: ReadonlyMap<string, Json>;
  /** Members of the request that creates one, in addition to those in the file. */
  readonly creation?: Json;
  /**
   * Returns the members of the request that changes one.
   *
   * @param called its name in messages, such as `apps.Intranet`
   */
  readonly changesOf: (called: string, before: Json, wanted: Json) => Json;
}

/** Plans to create what is not stored and to change what differs. @throws {UsageError} for a disabled thing */
export async function planNamed(
  api: AdminApi,
  { part, list, stored, creation, changesOf }: NamedThings,
  declared: Named,
): Promise<PlannedChange[]> {
  const plan: PlannedChange[] = [];
  for (const [name, wanted] of Object.entries(declared)) {
    const called = `${part}.${name}`;
    const listed = stored.get(name);
    if (listed === undefined) {
      const lines = difference(called, undefined, wanted);
      plan.push({ lines, method: "POST", path: list, body: { name, ...wanted, ...creation } });
      continue;
    }
    const path = list + at`/${String(listed["id"])}`;
    const { body, version } = await api.send("GET", path);
    const before = body as Json;
    const changes = changesOf(called, before, wanted);
    const lines = difference(called, before, changes);
    if (lines.length === 0) continue;
    if (before["isDisabled"] === true) {
      throw new UsageError(`${called} is disabled: enable it before you change it, or leave it out of the file`);
    }
    plan.push({ lines, method: "PATCH", path, body: changes, version });
  }
  return plan;
}
