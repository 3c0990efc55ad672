import type { AuditTrail } from "#audit/audit.ts";
import type { Clock } from "#platform/clock.ts";

/** A running grant as administrators see it. */
export interface ListedGrant {
  readonly id: string;
  readonly personEmail: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scope: string;
  readonly createdAt: number;
  /** The last time that it gave tokens. */
  readonly lastTokensAt: number;
  readonly expiresAt: number;
}

/** Whose or which app's grants; an empty text asks for all. */
export interface GrantSearch {
  /** The beginning of an email address. */
  readonly person: string;
  /** A client's id, or the beginning of its name. */
  readonly client: string;
}

export interface GrantRegisterStore {
  /** Running grants, the newest first. @param before goes on after this moment and id */
  list(
    instanceId: number,
    search: GrantSearch,
    before: { readonly createdAt: number; readonly id: string } | null,
    limit: number,
    now: number,
  ): Promise<ListedGrant[]>;
  find(instanceId: number, grantId: string, now: number): Promise<ListedGrant | null>;
  /** Ends a grant, and forgets what the person allowed its app, in one transaction. @returns whether it was running */
  revoke(instanceId: number, grantId: string, reason: string, now: number): Promise<boolean>;
  /** Ends every grant, codes on their way too, and forgets what people allowed, in one transaction; how many grants ended. */
  revokeAll(instanceId: number, reason: string, now: number): Promise<number>;
}

/** Grants as administrators find and end them. */
export class GrantRegister {
  readonly #store: GrantRegisterStore;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(store: GrantRegisterStore, audit: AuditTrail, clock: Clock) {
    this.#store = store;
    this.#audit = audit;
    this.#clock = clock;
  }

  list(
    instanceId: number,
    search: GrantSearch,
    before: { readonly createdAt: number; readonly id: string } | null,
    limit: number,
  ): Promise<ListedGrant[]> {
    return this.#store.list(instanceId, search, before, limit, this.#clock());
  }

  find(instanceId: number, grantId: string): Promise<ListedGrant | null> {
    return this.#store.find(instanceId, grantId, this.#clock());
  }

  /** Ends a grant; its running access token ends within a policy snapshot's age. @returns whether it was running */
  async revoke(instanceId: number, grant: ListedGrant, actor: string): Promise<boolean> {
    const at = this.#clock();
    const revoked = await this.#store.revoke(instanceId, grant.id, "revoked_by_administrator", at);
    if (revoked) {
      const { id: grantId, personEmail, clientId, scope } = grant;
      const detail = { grantId, personEmail, clientId, scope, reason: "revoked_by_administrator" };
      await this.#audit.append({ instanceId, at, actor, event: "grant_revoked", detail });
    }
    return revoked;
  }

  /** Ends every grant of the instance, within a policy snapshot's age; how many. */
  async revokeAll(instanceId: number, actor: string): Promise<number> {
    const at = this.#clock();
    const grants = await this.#store.revokeAll(instanceId, "revoked_by_administrator", at);
    const detail = { clientId: "all", grants, reason: "revoked_by_administrator" };
    await this.#audit.append({ instanceId, at, actor, event: "grants_revoked", detail });
    return grants;
  }
}
