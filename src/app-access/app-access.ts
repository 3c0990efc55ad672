import { allowedScopes, type RuledClient } from "#clients/allowed-scopes.ts";
import type { ContentCondition, Seer } from "#documents/engine.ts";
import type { ActingApp } from "#protocol/access-token-claims.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { Settings } from "#settings/settings.ts";
import type { AppContent } from "./app-content.ts";
import { type AppRule, type AppRules, issuersApp, scopesByRules, SELF_REGISTERED } from "./app-rules.ts";

/** The part of a policy snapshot that decides what apps may do for people. */
export interface AppPolicy {
  readonly instanceId: number;
  readonly settings: Pick<Settings, "dynamicScopes" | "identityHosts">;
  readonly appRules: AppRules;
}

/** Reads a person as searches see them, at most ten seconds old; `null` if the person is deactivated or unknown. */
export interface PersonReader {
  of(instanceId: number, personId: string): Promise<Seer | null>;
}

/**
 * The names under which the rules and the content of an app may be stored. Of each, the first name that has any decides. There are
 * none for our own pages.
 */
export type AppNames = readonly string[];

/** Who searches or reads, and with which app. */
export interface Reader extends ActedFor {
  /** The app, and those from which it has the access. What any of them may not search isn't found. */
  readonly apps: readonly AppNames[];
}

/** The part of a policy snapshot that decides what an app may search. */
export interface ContentPolicy extends Pick<AppPolicy, "instanceId"> {
  readonly appContent: AppContent;
}

/** The subject of a request, whose groups are looked up. */
export interface ActedFor {
  readonly personId: string;
}

/**
 * Decides which scopes an app gets for a person. Everything that grants or honours scopes calls it:
 *
 * - consent, codes, refreshes and ID-JAGs: `await appAccess.scopesFor(policy, client, { personId })`;
 * - the gate, which has a token and its scopes: `await appAccess.within(policy, apps, { personId }, scopes)`, after {@link isRuled},
 *   so that an app without rules costs nothing.
 *
 * Everything that searches or reads documents for a person gets the person from {@link seerOf}, with what the app may search.
 *
 * The result is the most that may be granted: narrow the request to it, and refuse it if `opensAnything` finds nothing left.
 * Rules come from the policy snapshot and groups are cached for ten seconds, so a change to either applies within ten seconds.
 */
export class AppAccess {
  readonly #people: PersonReader;

  constructor(people: PersonReader) {
    this.#people = people;
  }

  /** Returns the most that a client may be granted for a subject: its own scopes, as far as its rules allow them. */
  scopesFor(policy: AppPolicy, client: RuledClient, actedFor: ActedFor): Promise<readonly Scope[]> {
    return this.within(policy, [namesOfClient(client)], actedFor, allowedScopes(client, policy.settings));
  }

  /** Returns the scopes that the rules of all apps allow through which access came. */
  async within(
    policy: AppPolicy,
    apps: readonly AppNames[],
    actedFor: ActedFor,
    scopes: readonly Scope[],
  ): Promise<readonly Scope[]> {
    let allowed = scopes;
    for (const names of apps) {
      const rules = rulesOf(policy, names);
      if (rules) allowed = scopesByRules(rules, await this.#groupsOf(policy, actedFor), allowed);
    }
    return allowed;
  }

  /**
   * Returns a person as documents are searched and read for them: limited to what the app may search. `null` if they are deactivated
   * or unknown, and so see nothing.
   */
  async seerOf(policy: ContentPolicy, { personId, apps }: Reader): Promise<Seer | null> {
    const seer = await this.#people.of(policy.instanceId, personId);
    const content = apps.flatMap((names) => contentOf(policy, names));
    return seer && content.length > 0 ? { ...seer, content } : seer;
  }

  async #groupsOf({ instanceId }: AppPolicy, { personId }: ActedFor): Promise<readonly string[]> {
    return (await this.#people.of(instanceId, personId))?.directoryGroups ?? [];
  }
}

/** Returns somebody who searches on our own pages, where no app decides what they find. */
export function onOurPages({ id }: { readonly id: string }): Reader {
  return { personId: id, apps: [] };
}

/** Returns the names of an app that passed access on. */
export function namesOfActing({ iss, sub, client_app: app = sub, client_kind: kind }: ActingApp): AppNames {
  return iss === undefined ? namesOfClient({ app, kind }) : [issuersApp(iss, sub)];
}

/** Returns the names of a client: its app, and then all clients that no administrator created, if it is one of them. */
export function namesOfClient({ app, kind }: { readonly app: string; readonly kind?: string | undefined }): AppNames {
  return kind === "static" ? [app] : [app, SELF_REGISTERED];
}

/** Returns the name under which there are rules that decide who may use an app. */
export function ruledAs({ appRules }: Pick<AppPolicy, "appRules">, apps: AppNames): string | undefined {
  return apps.find((app) => appRules.has(app));
}

export function isRuled(policy: Pick<AppPolicy, "appRules">, apps: AppNames): boolean {
  return ruledAs(policy, apps) !== undefined;
}

/** Returns the rules that decide who may use an app; `undefined`: everybody may. */
function rulesOf(policy: Pick<AppPolicy, "appRules">, apps: AppNames): readonly AppRule[] | undefined {
  return policy.appRules.get(ruledAs(policy, apps) ?? "");
}

/** Returns what an app may search: documents that meet all of these conditions. */
export function contentOf(
  { appContent }: Pick<ContentPolicy, "appContent">,
  apps: AppNames,
): readonly ContentCondition[] {
  return appContent.get(apps.find((app) => appContent.has(app)) ?? "") ?? [];
}

export function describeRules(rules: readonly AppRule[]): string {
  return rules.map(({ group, scopes }) => `${group}: ${scopes.join(", ")}`).join("; ");
}
