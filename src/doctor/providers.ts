import { type ExternalIssuer, givesAccessTokens } from "#issuers/external-issuer.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import { epochSeconds } from "#platform/clock.ts";
import { attempt, failed, type Finding, ok, sentencesOf, warning } from "#platform/finding.ts";
import { labelOf } from "#single-sign-on/choosing.ts";
import { callbackUri } from "#single-sign-on/sign-in.ts";
import type { Discovered } from "#single-sign-on/connection-check.ts";

const ONE = "Single sign-on";

/** With a greater difference between clocks, codes and tokens are refused as expired or not yet valid. */
const SKEW_SECONDS_MAX = 30;

export interface ProviderTools {
  readonly discoverSingleSignOn: (issuer: string) => Promise<Discovered>;
  /** Fetches URLs that administrators chose, and returns redirects instead of following them. */
  readonly fetchDocument: OutgoingFetch;
}

/** Checks the discovery document, the clock and the redirect URI of each of the organisation's SSOs. */
export async function checkSingleSignOns(
  ssos: readonly SingleSignOn[],
  origin: string,
  tools: ProviderTools,
): Promise<Finding[]> {
  if (ssos.length === 0) {
    const remedy = `Connect it under Single sign-on. ${enter(callbackUri({ issuer: origin }, {}))}`;
    return [failed(ONE, "Not connected: nobody can sign in.", remedy)];
  }
  const findings = await Promise.all(
    ssos.map((sso) =>
      checkSingleSignOn(
        sso,
        ssos.length > 1 ? `${ONE} ${labelOf(sso)}` : ONE,
        callbackUri({ issuer: origin }, sso),
        tools,
      ),
    ),
  );
  return findings.flat();
}

function enter(redirectUri: string): string {
  return `Enter ${redirectUri} as the redirect URI of the application at the single sign-on.`;
}

async function checkSingleSignOn(
  sso: SingleSignOn,
  name: string,
  redirectUri: string,
  { discoverSingleSignOn, fetchDocument }: ProviderTools,
): Promise<Finding[]> {
  const { findings, metadata, date } = await discoverSingleSignOn(sso.issuer);
  const problem = findings.find(({ verdict }) => verdict === "failed");
  if (problem) return [{ ...problem, check: name }];
  const clock = compareClocks(name, "our", date, epochSeconds());
  const answers = ok(name, "It responds, its issuer matches, and its clock is right.");
  const found = clock.verdict === "failed" ? clock : answers;
  const endpoint = metadata?.["authorization_endpoint"];
  if (typeof endpoint !== "string") return [found];
  const check = `Redirect URI at the ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const redirect = () => checkRedirect(check, sso, endpoint, redirectUri, fetchDocument);
  return [found, await attempt(check, enter(redirectUri), redirect)];
}

/**
 * Requests a sign-in without a page (`prompt=none`) from the SSO. It redirects to us if it accepts our redirect URI, and otherwise
 * shows its own error page (OpenID Connect Core §3.1.2.6). This signs nobody in.
 */
async function checkRedirect(
  check: string,
  sso: SingleSignOn,
  authorizationEndpoint: string,
  redirectUri: string,
  fetchAnswer: OutgoingFetch,
): Promise<Finding> {
  const url = new URL(authorizationEndpoint);
  const parameters = {
    response_type: "code",
    client_id: sso.clientId,
    redirect_uri: redirectUri,
    scope: "openid",
    prompt: "none",
    state: "doctor",
    // The example in RFC 7636 appendix B. It needs no verifier, because no code is ever exchanged.
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const response = await fetchAnswer(url.href);
  if (response.headers.get("location")?.startsWith(`${redirectUri}?`)) {
    return ok(check, `The single sign-on accepts ${redirectUri}.`);
  }
  return warning(check, "We couldn’t check whether the single sign-on accepts our redirect URI.", enter(redirectUri));
}

/** Checks whether the keys of each identity provider can be fetched, and whether its tokens must be for this service. */
export function checkExternalIssuers(
  issuers: Iterable<ExternalIssuer>,
  check: (issuer: ExternalIssuer) => Promise<readonly Finding[]>,
): Promise<Finding[]> {
  return Promise.all(
    [...issuers].map(async (issuer) => {
      const name = `Identity provider ${issuer.name}`;
      const problem = (await check(issuer)).find(({ verdict }) => verdict === "failed");
      if (problem) {
        return failed(
          name,
          sentencesOf(problem),
          "Check it under Identity providers, and a token of it under Token test.",
        );
      }
      if (givesAccessTokens(issuer) && issuer.audiences.length === 0) {
        return warning(
          name,
          "It has no audience: tokens that an app got for another service are accepted, and that service could use them here.",
          "Enter the audience of its tokens under Identity providers.",
        );
      }
      return ok(name, "Its keys can be fetched.");
    }),
  );
}

/** Compares two clocks, by the `Date` header of a response. */
export function compareClocks(check: string, whose: string, date: string | null, now: number): Finding {
  const at = date === null ? Number.NaN : Date.parse(date) / 1000;
  if (Number.isNaN(at)) return ok(check, "The response has no time, so the clocks can’t be compared.");
  const skew = Math.round(Math.abs(at - now));
  return skew <= SKEW_SECONDS_MAX
    ? ok(check, `It and ${whose} clock are ${skew} s apart.`)
    : failed(
        check,
        `It and ${whose} clock are ${skew} s apart: sign-ins are refused as expired or not yet valid.`,
        "Correct the wrong clock with NTP.",
      );
}
