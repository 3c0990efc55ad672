import type { AuditTrail } from "#audit/audit.ts";
import type { Clock } from "#platform/clock.ts";

/** An app that a person allowed, with all of its running grants in one. */
export interface ConnectedApp {
  readonly clientId: string;
  readonly name: string;
  /** Who vouches for it: an administrator made it, it registered itself, or its own site describes it. */
  readonly trust: "static" | "dynamic" | "document";
  /** Where answers go; the one thing about a self-registered app that is proved. */
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly since: number;
  /** The last time that it got tokens. Between two of these a running token may be used without a trace. */
  readonly lastTokensAt: number;
  /** Places where it is connected: each device or browser has a grant of its own. */
  readonly connections: number;
}

export interface ConnectedAppStore {
  list(instanceId: number, personId: string, now: number): Promise<ConnectedApp[]>;
  /**
   * Ends a person's grants, and forgets what they allowed, in one transaction.
   *
   * @param clientId one app, or all of them
   * @returns how many grants ended
   */
  end(instanceId: number, personId: string, clientId: string | null, now: number): Promise<number>;
}

/** The apps that a person allowed, as that person sees and ends them. */
export class ConnectedApps {
  readonly #store: ConnectedAppStore;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(store: ConnectedAppStore, audit: AuditTrail, clock: Clock) {
    this.#store = store;
    this.#audit = audit;
    this.#clock = clock;
  }

  list(instanceId: number, personId: string): Promise<ConnectedApp[]> {
    return this.#store.list(instanceId, personId, this.#clock());
  }

  /**
   * Ends one app's access, or every app's.
   *
   * @returns how many grants ended; the caller lets its isolate hear of it
   */
  async end(instanceId: number, personId: string, clientId: string | null): Promise<number> {
    const at = this.#clock();
    const ended = await this.#store.end(instanceId, personId, clientId, at);
    if (ended > 0) {
      const detail = { clientId: clientId ?? "all", grants: ended, reason: "revoked_by_person" };
      await this.#audit.append({ instanceId, at, actor: personId, event: "grants_revoked", detail });
    }
    return ended;
  }
}
