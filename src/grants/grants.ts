import type { AuditTrail } from "#audit/audit.ts";
import type { PolicySnapshot, PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Clock } from "#platform/clock.ts";
import type { Settings } from "#settings/settings.ts";
import type { EndReason, GrantEnding, GrantScope } from "./ending.ts";
import type {
  ConnectedApp,
  GrantDirectory,
  GrantProgress,
  ListedGrant,
  Reach,
  RunningGrants,
  UnvouchedReach,
} from "./grant-directory.ts";

/** The instance whose grants are meant. */
export interface GrantPolicy extends Pick<PolicySnapshot, "instanceId" | "name"> {
  readonly settings: Pick<Settings, "grantIdleSeconds">;
}

/** What people allowed apps: found, listed and ended. */
export class Grants {
  readonly #directory: GrantDirectory;
  readonly #ending: GrantEnding;
  readonly #snapshots: PolicySnapshots;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(
    directory: GrantDirectory,
    ending: GrantEnding,
    snapshots: PolicySnapshots,
    audit: AuditTrail,
    clock: Clock,
  ) {
    this.#directory = directory;
    this.#ending = ending;
    this.#snapshots = snapshots;
    this.#audit = audit;
    this.#clock = clock;
  }

  /** Part of the list of running grants, as `GRANT_LIST` says. */
  list(policy: GrantPolicy, query: ListQuery): Promise<ListPage<ListedGrant>> {
    return this.#directory.list(this.#among(policy), query);
  }

  /** A running grant. */
  find(policy: GrantPolicy, grantId: string): Promise<ListedGrant | null> {
    return this.#directory.find(this.#among(policy), grantId);
  }

  /** The apps that a person allowed, the last used first. */
  appsOf(policy: GrantPolicy, personId: string): Promise<ConnectedApp[]> {
    return this.#directory.appsOf(this.#among(policy), personId);
  }

  /** The people and grants affected when the authorization server is turned off, or one client ends. */
  reach(policy: GrantPolicy, clientId: string | null = null): Promise<Reach> {
    return this.#directory.reach(this.#among(policy), clientId);
  }

  /** The people and grants affected when clients end, by client; those that nobody uses are not in it. */
  reachOfEach(policy: GrantPolicy, clientIds: readonly string[]): Promise<ReadonlyMap<string, Reach>> {
    return this.#directory.reachOfEach(this.#among(policy), clientIds);
  }

  /** The people and grants affected when apps that no administrator created lose scopes. */
  unvouchedReach(policy: GrantPolicy): Promise<UnvouchedReach> {
    return this.#directory.unvouchedReach(this.#among(policy));
  }

  /** How far grants have come, whether they run or have ended. */
  progressOf({ instanceId }: GrantPolicy, grantIds: readonly string[]): Promise<GrantProgress[]> {
    return this.#directory.progressOf(instanceId, grantIds);
  }

  /**
   * Ends the grants of a scope: codes on their way at once, refresh tokens at once, running access tokens within the age of a
   * policy snapshot. The end is in the audit.
   *
   * @param actor as in `AuditEntry`
   * @returns how many grants ended
   */
  async end(
    policy: Pick<GrantPolicy, "instanceId" | "name">,
    scope: GrantScope,
    reason: EndReason,
    actor: string,
  ): Promise<number> {
    const { instanceId, name } = policy;
    const ended = await this.#ending.end({ instanceId, scope, reason, actor, at: this.#clock() });
    if (ended > 0) {
      this.#snapshots.expire(name);
      await this.#audit.seal(instanceId);
    }
    return ended;
  }

  #among({ instanceId, settings }: GrantPolicy): RunningGrants {
    return { instanceId, idleSeconds: settings.grantIdleSeconds, now: this.#clock() };
  }
}
