import type { Scope } from "#protocol/scopes.ts";
import type { Settings } from "#settings/settings.ts";
import { type AppRule, type AppRules, scopesByRules } from "./app-rules.ts";

/** What a client is, where its scopes are asked for. */
export interface ScopedClient {
  /** Administrators make the static ones; nobody vouches for the others. */
  readonly kind: "static" | "dynamic" | "document";
  readonly scopes: readonly Scope[];
}

/** What a client may be granted now, whoever allows it. An administrator who narrows the dynamic set narrows clients that exist already. */
export function allowedScopes(
  client: ScopedClient,
  { dynamicScopes }: Pick<Settings, "dynamicScopes">,
): readonly Scope[] {
  if (client.kind === "static") return client.scopes;
  return client.scopes.filter((scope) => dynamicScopes.includes(scope));
}

/** The part of a policy snapshot that decides what apps may do for people. */
export interface AppPolicy {
  readonly instanceId: number;
  readonly settings: Pick<Settings, "dynamicScopes">;
  readonly appRules: AppRules;
}

/** Reads a person's groups as they count now, at most ten seconds old; `null` for somebody deactivated or unknown. */
export interface GroupReader {
  of(instanceId: number, personId: string): Promise<{ readonly directoryGroups: readonly string[] } | null>;
}

/** Somebody whom an app acts for: a person by id, or groups that were read already, such as a service account's. */
export type ActedFor = { readonly personId: string } | { readonly groups: readonly string[] };

/**
 * What apps may do, and for whom. Every place that gives or honours scopes asks here:
 *
 * - consent, codes, refreshes and ID-JAGs: `await appAccess.scopesFor(policy, client, { personId })`;
 * - a machine that has groups of its own: `await appAccess.scopesFor(policy, client, { groups })`;
 * - the gate, which has a token and its scopes: `await appAccess.within(policy, app, { personId }, scopes)`, after
 *   {@link isRuled}, so that an app without rules costs nothing.
 *
 * The answer is the most that may be granted: narrow what was asked for to it, and refuse where `opensAnything` says that nothing is
 * left. Rules come from the policy snapshot, groups from a memory of ten seconds, so either holds within ten seconds of a change.
 */
export class AppAccess {
  readonly #groups: GroupReader;

  constructor(groups: GroupReader) {
    this.#groups = groups;
  }

  /** What a client may be granted for somebody: its own scopes, as far as its rules allow them. */
  scopesFor(
    policy: AppPolicy,
    client: ScopedClient & { readonly id: string },
    actedFor: ActedFor,
  ): Promise<readonly Scope[]> {
    return this.within(policy, client.id, actedFor, allowedScopes(client, policy.settings));
  }

  /** What the rules of an app leave of scopes. @param app a client id, or what `issuersApp` makes */
  async within(
    policy: AppPolicy,
    app: string,
    actedFor: ActedFor,
    scopes: readonly Scope[],
  ): Promise<readonly Scope[]> {
    const rules = policy.appRules.get(app);
    return rules ? scopesByRules(rules, await this.#groupsOf(policy, actedFor), scopes) : scopes;
  }

  async #groupsOf({ instanceId }: AppPolicy, actedFor: ActedFor): Promise<readonly string[]> {
    if ("groups" in actedFor) return actedFor.groups;
    return (await this.#groups.of(instanceId, actedFor.personId))?.directoryGroups ?? [];
  }
}

/** Whether rules decide who may use an app. */
export function isRuled({ appRules }: Pick<AppPolicy, "appRules">, app: string | undefined): boolean {
  return app !== undefined && appRules.has(app);
}

/** The rules of an app in words, for administrators. */
export function describeRules(rules: readonly AppRule[]): string {
  return rules.map(({ group, scopes }) => `${group}: ${scopes.join(", ")}`).join("; ");
}
