import { allowedScopes, type ScopedClient } from "#clients/allowed-scopes.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { Settings } from "#settings/settings.ts";
import { type AppRule, type AppRules, scopesByRules, SELF_REGISTERED } from "./app-rules.ts";

/** The part of a policy snapshot that decides what apps may do for people. */
export interface AppPolicy {
  readonly instanceId: number;
  readonly settings: Pick<Settings, "dynamicScopes" | "identityHosts">;
  readonly appRules: AppRules;
}

/** Reads a person's groups, at most ten seconds old; `null` if the person is deactivated or unknown. */
export interface GroupReader {
  of(instanceId: number, personId: string): Promise<{ readonly directoryGroups: readonly string[] } | null>;
}

/** The subject of a request, whose groups are looked up. */
export interface ActedFor {
  readonly personId: string;
}

/**
 * Decides which scopes an app gets for a person. Everything that grants or honours scopes calls it:
 *
 * - consent, codes, refreshes and ID-JAGs: `await appAccess.scopesFor(policy, client, { personId })`;
 * - the gate, which has a token and its scopes: `await appAccess.within(policy, ruledApp(policy, …), { personId }, scopes)`,
 *   after {@link isRuled}, so that an app without rules costs nothing.
 *
 * The result is the most that may be granted: narrow the request to it, and refuse it if `opensAnything` finds nothing left.
 * Rules come from the policy snapshot and groups are cached for ten seconds, so a change to either applies within ten seconds.
 */
export class AppAccess {
  readonly #groups: GroupReader;

  constructor(groups: GroupReader) {
    this.#groups = groups;
  }

  /** Returns the most that a client may be granted for a subject: its own scopes, as far as its rules allow them. */
  scopesFor(policy: AppPolicy, client: ScopedClient, actedFor: ActedFor): Promise<readonly Scope[]> {
    const app = ruledApp(policy, client.id, client.kind === "static");
    return this.within(policy, app, actedFor, allowedScopes(client, policy.settings));
  }

  /** Returns the scopes that the rules of an app allow. @param app from {@link ruledApp} or `issuersApp` */
  async within(
    policy: AppPolicy,
    app: string,
    actedFor: ActedFor,
    scopes: readonly Scope[],
  ): Promise<readonly Scope[]> {
    const rules = policy.appRules.get(app);
    return rules ? scopesByRules(rules, await this.#groupsOf(policy, actedFor), scopes) : scopes;
  }

  async #groupsOf({ instanceId }: AppPolicy, { personId }: ActedFor): Promise<readonly string[]> {
    return (await this.#groups.of(instanceId, personId))?.directoryGroups ?? [];
  }
}

/**
 * Returns the app whose rules apply to a client: the client itself if it has rules or an administrator created it, otherwise the
 * entry for all clients that no administrator created.
 */
export function ruledApp({ appRules }: Pick<AppPolicy, "appRules">, clientId: string, isStatic: boolean): string {
  return isStatic || appRules.has(clientId) ? clientId : SELF_REGISTERED;
}

/** Checks whether rules decide who may use an app. */
export function isRuled({ appRules }: Pick<AppPolicy, "appRules">, app: string | undefined): boolean {
  return app !== undefined && appRules.has(app);
}

/** Describes the rules of an app in words, for administrators. */
export function describeRules(rules: readonly AppRule[]): string {
  return rules.map(({ group, scopes }) => `${group}: ${scopes.join(", ")}`).join("; ");
}
