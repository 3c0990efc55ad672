import type { Grants } from "#grants/grants.ts";
import { Acts } from "./acts.ts";

const REASON = "revoked_by_administrator";

/** A grant, by what an administrator sees of it. */
interface SeenGrant {
  readonly id: string;
  readonly personId: string;
  readonly clientId: string;
}

/**
 * Administrators' decisions about the access that people gave apps. The statements, their audit entries and their effect are the
 * same for every end of a grant (`Grants.end`), whoever decides it.
 */
export class GrantActs extends Acts<Pick<Grants, "end">> {
  /** Ends one grant of a person to an app. @returns whether it was active */
  async revoke({ id: grantId, personId, clientId }: SeenGrant): Promise<boolean> {
    return (await this.#end({ kind: "grant", grantId, personId, clientId })) > 0;
  }

  /** Ends every grant of the instance. @returns how many were active */
  async revokeAll(): Promise<number> {
    return this.#end({ kind: "instance" });
  }

  #end(scope: Parameters<Grants["end"]>[1]): Promise<number> {
    const { id: instanceId, name } = this.instance;
    return this.parts.end({ instanceId, name }, scope, REASON, this.by.actor);
  }
}
