import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import { attempt, failed, type Finding, ok, warning } from "./finding.ts";
import { compareClocks } from "./outside.ts";

const SSO = "Single sign-on";
const REDIRECT = "Redirect URI at the single sign-on";

/** Discovery, clock and redirect URI of the organisation's SSO. */
export async function checkSingleSignOn(
  sso: SingleSignOn | null,
  callbackUri: string,
  fetchDocument: OutgoingFetch,
  now: () => number,
): Promise<Finding[]> {
  const enter = `Enter ${callbackUri} as the redirect URI of the application at the single sign-on.`;
  if (!sso) {
    return [failed(SSO, "It is not connected: nobody can sign in.", `Connect it under Single sign-on. ${enter}`)];
  }
  let authorizationEndpoint: string | undefined;
  const findings = [
    await attempt(SSO, "See that its issuer is right, and that it can be reached from the internet.", async () => {
      const url = `${sso.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
      const response = await fetchDocument(url);
      if (response.status !== 200) {
        return failed(
          SSO,
          `${url} answers ${response.status}.`,
          "See that the issuer is spelt as the provider spells it.",
        );
      }
      const document = JSON.parse(await response.text()) as Readonly<Record<string, unknown>>;
      if (document["issuer"] !== sso.issuer) {
        return failed(
          SSO,
          `It calls itself ${String(document["issuer"]).slice(0, 300)}, and is connected as ${sso.issuer}.`,
          "Connect it anew with the issuer as it calls itself.",
        );
      }
      if (typeof document["authorization_endpoint"] === "string") {
        authorizationEndpoint = document["authorization_endpoint"];
      }
      const clock = compareClocks(SSO, "our", response.headers.get("date"), now());
      return clock.verdict === "failed"
        ? clock
        : ok(SSO, "It answers, calls itself what it is connected as, and its clock is right.");
    }),
  ];
  if (authorizationEndpoint !== undefined) {
    const at = authorizationEndpoint;
    findings.push(await attempt(REDIRECT, enter, () => checkRedirect(sso, at, callbackUri, fetchDocument, enter)));
  }
  return findings;
}

/**
 * Asks the SSO for a sign-in that shows nothing (`prompt=none`): it answers by a redirect to us if it knows our address, and with
 * a page of its own if it does not (OpenID Connect Core §3.1.2.6). Nobody is signed in by it.
 */
async function checkRedirect(
  sso: SingleSignOn,
  authorizationEndpoint: string,
  callbackUri: string,
  fetchAnswer: OutgoingFetch,
  enter: string,
): Promise<Finding> {
  const url = new URL(authorizationEndpoint);
  const parameters = {
    response_type: "code",
    client_id: sso.clientId,
    redirect_uri: callbackUri,
    scope: "openid",
    prompt: "none",
    state: "doctor",
    // The example of RFC 7636 appendix B: no code will come of this.
    code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const response = await fetchAnswer(url.href);
  if (response.headers.get("location")?.startsWith(`${callbackUri}?`)) {
    return ok(REDIRECT, `The single sign-on sends people back to ${callbackUri}.`);
  }
  return warning(REDIRECT, "Whether the single sign-on knows our address cannot be told from here.", enter);
}

/** Whether the keys of each identity provider can be fetched. */
export function checkExternalIssuers(
  issuers: Iterable<ExternalIssuer>,
  describe: (issuer: ExternalIssuer) => Promise<readonly string[]>,
): Promise<Finding[]> {
  return Promise.all(
    [...issuers].map((issuer) => {
      const check = `Identity provider ${issuer.name}`;
      const remedy = "Look at it under Identity providers, and test a token there.";
      return attempt(check, remedy, async () => {
        const problem = (await describe(issuer)).find((sentence) => sentence.startsWith("Mind:"));
        if (problem === undefined) return ok(check, "Its keys can be fetched.");
        return failed(check, problem.replace(/^Mind: */, ""), remedy);
      });
    }),
  );
}
