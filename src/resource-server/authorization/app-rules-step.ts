import { type AppAccess, describeRules, isRuled, ruledAs } from "#app-access/app-access.ts";
import { SELF_REGISTERED } from "#app-access/app-rules.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { ApiError } from "#protocol/errors.ts";
import { API_SCOPES, type Scope } from "#protocol/scopes.ts";
import type { Caller } from "#resource-server/authentication/caller.ts";
import type { Step } from "#resource-server/authentication/steps.ts";

/**
 * Narrows a caller's scopes to what the app's rules allow. An app without rules, the warm path, returns the caller without awaiting
 * anything. Otherwise the person's groups are read, which a search needs too and which are cached for ten seconds.
 */
export function withinRules(appAccess: AppAccess, policy: PolicySnapshot, caller: Caller): Caller | Promise<Caller> {
  return caller.apps.some((names) => isRuled(policy, names)) ? narrowed(appAccess, policy, caller) : caller;
}

async function narrowed(appAccess: AppAccess, policy: PolicySnapshot, caller: Caller): Promise<Caller> {
  const { apps, personId, scopes } = caller;
  // What the token lacks is judged too: if the rules withhold it, a host that asks the person for it asks in vain.
  const judged = [...new Set<Scope>([...API_SCOPES, ...scopes])];
  const allowed = await appAccess.within(policy, apps, { personId }, judged);
  const withheld = judged.filter((scope) => !allowed.includes(scope));
  return withheld.length === 0
    ? caller
    : { ...caller, scopes: new Set(allowed.filter((scope) => scopes.has(scope))), withheld };
}

/**
 * Requires that the app's rules allow the person at least one API. No other token would help, so the refusal must not make a host
 * ask for more scopes.
 *
 * @throws {ApiError} `client_not_enabled`
 */
export function requireLetIn({ withheld }: Caller): void {
  if (!withheld || API_SCOPES.some((scope) => !withheld.includes(scope))) return;
  throw new ApiError("client_not_enabled", {
    reason: "app_not_for_person",
    description: "Your organisation doesn't let you use this app: ask your administrator",
  });
}

/** Lists an app's rules, for the page "Test a token". */
export const APP_RULES_STEP: Step<{ readonly instance: RequestInstance; readonly caller: Caller }> = {
  title: "Who may use the app",
  check: ({ caller }) => requireLetIn(caller),
  fact({ instance: { policy }, caller: { apps, withheld = [] } }) {
    const ruled = apps.flatMap((names) => ruledAs(policy, names) ?? []);
    if (ruled.length === 0) return "No rules are about this app: everybody may use it.";
    const said = ruled
      .map((app) => `${whoseRules(app, apps)}: ${describeRules(policy.appRules.get(app) ?? [])}.`)
      .join(" ");
    return withheld.length === 0
      ? `${said} They allow this person all scopes of the token.`
      : `${said} By their groups, they withhold ${withheld.join(", ")} from this person.`;
  },
};

function whoseRules(app: string, apps: Caller["apps"]): string {
  if (app === SELF_REGISTERED) return "The rules of apps that no administrator created";
  return apps.length > 1 ? `The rules of ${app}` : "Its rules";
}
