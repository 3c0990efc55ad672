import { domainOf, parseEmailAddress } from "#protocol/email-address.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { SingleSignOn } from "#settings/settings.ts";

/**
 * Returns the SSO for which a person doesn't have to be asked: the only one, or the one that the email domain of a hint belongs to.
 *
 * @returns `undefined` if the person has to choose
 * @param loginHint `login_hint` (OpenID Connect Core §3.1.2.1). Anybody can write it, so it chooses only where a sign-in begins
 * @throws {OAuthError} `temporarily_unavailable` if there is none
 */
export function ssoWithoutAsking(ssos: readonly SingleSignOn[], loginHint?: string): SingleSignOn | undefined {
  if (ssos.length === 0) throw notConfigured();
  if (ssos.length === 1) return ssos[0];
  const email = parseEmailAddress(loginHint);
  return email === undefined ? undefined : ssos.find(({ emailDomains }) => emailDomains?.includes(domainOf(email)));
}

/** Returns the SSO with an issuer; `undefined` if it is not connected. */
export function ssoOfIssuer(ssos: readonly SingleSignOn[], issuer: string | null): SingleSignOn | undefined {
  return ssos.find((sso) => sso.issuer === issuer);
}

function notConfigured(): OAuthError {
  return new OAuthError("temporarily_unavailable", {
    reason: "sso_not_configured",
    description:
      "Sign-in is not set up yet. If you run this service, open the link that instance create printed; otherwise ask an administrator",
  });
}

/** Returns what a page offers if a person has to choose. */
export function choicesOf(ssos: readonly SingleSignOn[]): { readonly number: number; readonly label: string }[] {
  return ssos.map((sso) => ({ number: numberOf(sso), label: labelOf(sso) }));
}

/** Returns the SSO whose number the form of such a page sent. */
export function chosenSso(ssos: readonly SingleSignOn[], form: Parameters): SingleSignOn | undefined {
  return ssos.find((sso) => String(numberOf(sso)) === form.one("sso"));
}

/** Returns the number of an SSO at its instance, which stays the same. */
function numberOf({ number = 1 }: Pick<SingleSignOn, "number">): number {
  return number;
}

/** Returns what the button of an SSO says. */
export function labelOf({ label, issuer }: Pick<SingleSignOn, "label" | "issuer">): string {
  return label ?? new URL(issuer).host;
}

/** Returns the number of an SSO that is added to others. The first one has none, and the number of a removed one may be used again. */
export function nextNumber(others: readonly SingleSignOn[]): number | undefined {
  return others.length === 0 ? undefined : Math.max(...others.map(numberOf)) + 1;
}
