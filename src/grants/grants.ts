import type { D1GrantDirectory } from "./grant-directory.d1.ts";
import type { AuditLog } from "#audit/audit-log.ts";
import type { PolicySnapshot, PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Clock } from "#platform/clock.ts";
import type { Settings } from "#settings/settings.ts";
import type { EndReason, GrantScope } from "./ending.ts";
import type {
  ConnectedApp,
  GrantProgress,
  ListedGrant,
  Reach,
  RunningGrants,
  UnvouchedReach,
} from "./grant-directory.ts";

/** The instance whose grants are meant, with the setting that decides which ones are running. */
export interface GrantPolicy extends Pick<PolicySnapshot, "instanceId" | "name"> {
  readonly settings: Pick<Settings, "grantIdleSeconds">;
}

/** Finds, lists and ends the access that apps were granted. */
export class Grants {
  readonly #directory: D1GrantDirectory;
  readonly #snapshots: PolicySnapshots;
  readonly #audit: Pick<AuditLog, "seal">;
  readonly #clock: Clock;

  constructor(directory: D1GrantDirectory, snapshots: PolicySnapshots, audit: Pick<AuditLog, "seal">, clock: Clock) {
    this.#directory = directory;
    this.#snapshots = snapshots;
    this.#audit = audit;
    this.#clock = clock;
  }

  /** Returns one part of the list of running grants, filtered and sorted as `GRANT_LIST` allows. */
  list(policy: GrantPolicy, query: ListQuery): Promise<ListPage<ListedGrant>> {
    return this.#directory.list(this.#among(policy), query);
  }

  /** Finds a running grant. */
  find(policy: GrantPolicy, grantId: string): Promise<ListedGrant | null> {
    return this.#directory.find(this.#among(policy), grantId);
  }

  /** Lists the apps that a person allowed, last used first. */
  appsOf(policy: GrantPolicy, personId: string): Promise<ConnectedApp[]> {
    return this.#directory.appsOf(this.#among(policy), personId);
  }

  /** Counts the people and grants affected if the authorization server is turned off, or one client ends. */
  reach(policy: GrantPolicy, clientId: string | null = null): Promise<Reach> {
    return this.#directory.reach(this.#among(policy), clientId);
  }

  /** Counts the people and grants affected if clients end, by client. Clients that nobody uses are left out. */
  reachOfEach(policy: GrantPolicy, clientIds: readonly string[]): Promise<ReadonlyMap<string, Reach>> {
    return this.#directory.reachOfEach(this.#among(policy), clientIds);
  }

  /** Counts the people and grants affected if apps that no administrator created lose scopes. */
  unvouchedReach(policy: GrantPolicy): Promise<UnvouchedReach> {
    return this.#directory.unvouchedReach(this.#among(policy));
  }

  /** Returns how far grants have come, whether they are running or have ended. */
  progressOf({ instanceId }: GrantPolicy, grantIds: readonly string[]): Promise<GrantProgress[]> {
    return this.#directory.progressOf(instanceId, grantIds);
  }

  /**
   * Ends the grants of a scope and writes that to the audit. Codes and refresh tokens stop working at once, running access tokens
   * within the age of a policy snapshot.
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
    const ended = await this.#directory.end({ instanceId, scope, reason, actor, at: this.#clock() });
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
