import type { Grants } from "#grants/grants.ts";
import type { ActInstance } from "./act-instance.ts";

const REASON = "revoked_by_administrator";

/**
 * Administrators' decisions about the access that people gave apps. The statements, their audit entries and their effect are the
 * same for every end of a grant (`Grants.end`), whoever decides it.
 */
export class GrantActs {
  readonly #grants: Pick<Grants, "end">;

  constructor(grants: Pick<Grants, "end">) {
    this.#grants = grants;
  }

  /** Ends one grant of a person to an app. @returns whether it was active */
  async revoke(
    instance: ActInstance,
    { id: grantId, personId, clientId }: { readonly id: string; readonly personId: string; readonly clientId: string },
    actor: string,
  ): Promise<boolean> {
    const scope = { kind: "grant", grantId, personId, clientId } as const;
    return (await this.#grants.end(nameOf(instance), scope, REASON, actor)) > 0;
  }

  /** Ends every grant of the instance. @returns how many were active */
  async revokeAll(instance: ActInstance, actor: string): Promise<number> {
    return this.#grants.end(nameOf(instance), { kind: "instance" }, REASON, actor);
  }
}

function nameOf({ id: instanceId, name }: ActInstance) {
  return { instanceId, name };
}
