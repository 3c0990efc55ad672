import type { ContentCondition } from "#documents/engine.ts";
import { SCOPES, type Scope } from "#protocol/scopes.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { ApiError } from "#protocol/errors.ts";
import { foldName } from "#protocol/folding.ts";

/** One group that may use an app. */
export interface AppRule {
  /** A folded name, as people's groups are; {@link EVERYBODY} means every person. */
  readonly group: string;
  readonly scopes: readonly Scope[];
}

/** Who may use one app, and what it may search. */
export interface AppLimits {
  readonly rules: readonly AppRule[];
  readonly content: readonly ContentCondition[];
}

/** The same as it is stored. */
export interface StoredRules extends AppLimits {
  readonly app: string;
  /** Both as the stored JSON, to detect changes. */
  readonly text: string;
  readonly changedAt: number;
}

/** The rules of an instance, by app. Everybody may use an app that is not listed. */
export type AppRules = ReadonlyMap<string, readonly AppRule[]>;

/** The group in a rule about every person. */
export const EVERYBODY = "*";

/**
 * The name that rules use for all apps that no administrator created and that have no rules of their own. Such an app can
 * register again, and with its new id it would otherwise start without any rules.
 */
export const SELF_REGISTERED = "self-registered";

/** The policy snapshot contains all rules of an instance, so their number is limited. */
export const RULED_APPS_MAX = 200;
export const RULES_PER_APP_MAX = 50;

/** The longest group name that a sign-in or a directory can report, with its issuer. */
const GROUP_CHARACTERS_MAX = 700;

/** Returns the name of an identity provider's application in rules. */
export function issuersApp(issuer: string, clientId: string): string {
  return `${issuer}|${clientId}`;
}

/**
 * Makes the refusal of a call that the app's rules don't allow the person. Another token would not help, so it isn't
 * `insufficient_scope`, for which hosts send the person through another sign-in.
 */
export function withheldScope(scope: Scope): ApiError {
  return new ApiError("client_not_enabled", {
    reason: "scope_withheld",
    description: `Your organisation doesn't let you use ${scope} with this app: ask your administrator`,
  });
}

/**
 * Returns the scopes that the rules of an app allow to a member of these groups: everything that a rule about one of the groups
 * allows, so nothing if no rule is about any of them.
 */
export function scopesByRules(
  rules: readonly AppRule[],
  groups: readonly string[],
  scopes: readonly Scope[],
): readonly Scope[] {
  const mine = rules.filter(({ group }) => group === EVERYBODY || groups.includes(group));
  return scopes.filter((scope) => mine.some((rule) => rule.scopes.includes(scope)));
}

/**
 * Validates the rules that an administrator enters, and returns them in their stored form: names folded, scopes in one order.
 *
 * @throws {AdministrationRefused} naming the member that is wrong
 */
export function requireRules(wanted: readonly { group: string; scopes: readonly Scope[] }[]): AppRule[] {
  if (wanted.length > RULES_PER_APP_MAX) {
    throw new AdministrationRefused(
      `An app has at most ${RULES_PER_APP_MAX} rules: put people into fewer groups`,
      "rules",
    );
  }
  const rules = wanted.map(({ group, scopes }) => {
    const name = foldName(group.trim());
    if (name === "") throw new AdministrationRefused("Enter the group, or * for everybody", "group");
    if (name.length > GROUP_CHARACTERS_MAX) {
      throw new AdministrationRefused(`A group's name has at most ${GROUP_CHARACTERS_MAX} characters`, "group");
    }
    if (scopes.length === 0) throw new AdministrationRefused("Select at least one scope", "scopes");
    return { group: name, scopes: SCOPES.filter((scope) => scopes.includes(scope)) };
  });
  const twice = rules.find(({ group }, at) => rules.findIndex((rule) => rule.group === group) !== at);
  if (twice) throw new AdministrationRefused(`There are two rules for ${twice.group}: put them into one`, "group");
  return rules;
}
