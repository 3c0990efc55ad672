import type { GrantScope } from "#grants/ending.ts";
import type { D1Grants } from "#grants/grants.d1.ts";
import { epochSeconds } from "#platform/clock.ts";
import { Acts } from "./acts.ts";

const REASON = "revoked_by_administrator";

/** A grant, by what an administrator sees of it. */
interface SeenGrant {
  readonly id: string;
  readonly personId: string;
  readonly clientId: string;
}

/** Administrators' decisions about the access that people gave apps. */
export class GrantActs extends Acts<{ readonly store: Pick<D1Grants, "end"> }> {
  /** Ends one grant of a person to an app. @returns whether it was active */
  async revoke({ id: grantId, personId, clientId }: SeenGrant): Promise<boolean> {
    return (await this.#end({ kind: "grant", grantId, personId, clientId })) > 0;
  }

  /** Ends every grant of the instance. @returns how many were active */
  async revokeAll(): Promise<number> {
    return this.#end({ kind: "instance" });
  }

  async #end(scope: GrantScope): Promise<number> {
    const who = { instanceId: this.instance.id, at: epochSeconds(), actor: this.by.actor };
    const ended = await this.parts.store.end({ ...who, scope, reason: REASON });
    await this.concluded(ended > 0);
    return ended;
  }
}
