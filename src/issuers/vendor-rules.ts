import type { ExternalIssuer } from "./external-issuer.ts";
import { hostOf, isEntra, isGoogle } from "./safe-issuer.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";

/** Audiences of tokens for Microsoft Graph. Only Graph can verify their signatures. */
const GRAPH_AUDIENCES = new Set(["00000003-0000-0000-c000-000000000000", "https://graph.microsoft.com"]);

/**
 * Refuses known mistakes at common providers: a configuration that can never admit anybody, or that admits the wrong people.
 *
 * @throws {AdministrationRefused} with the field that has to change
 */
export function requireVendorsForm(configuration: ExternalIssuer): void {
  if (isEntra(configuration.issuer)) requireEntrasForm(configuration);
  if (isGoogle(configuration.issuer)) requireGooglesForm(configuration);
  if (isOkta(configuration.issuer)) requireOktasForm(configuration);
  if (hostOf(configuration.issuer).endsWith(".auth0.com")) requireAuth0sForm(configuration);
}

/**
 * Returns the claim with an account's permanent identifier. Entra's `sub` differs for each application, and Okta's `sub` in access
 * tokens is the login, which people can change.
 */
export function accountClaimOf({ issuer, accountClaim }: Pick<ExternalIssuer, "issuer" | "accountClaim">): string {
  if (accountClaim !== undefined) return accountClaim;
  if (isEntra(issuer)) return "oid";
  return isOkta(issuer) ? "uid" : "sub";
}

/**
 * Returns the claim of an ID token with the value that {@link accountClaimOf} names in access tokens. Okta's ID tokens have the
 * `uid` as `sub`.
 */
export function signInAccountClaimOf(issuer: Pick<ExternalIssuer, "issuer" | "accountClaim">): string {
  const claim = accountClaimOf(issuer);
  return claim === "uid" && isOkta(issuer.issuer) ? "sub" : claim;
}

/** Checks whether a provider writes the claim that an email address is verified as the text `true`. */
export function writesTrueAsText(issuer: string): boolean {
  return isEntra(issuer) || /^cognito-idp\.[a-z0-9-]+\.amazonaws\.com$/.test(hostOf(issuer));
}

function isOkta(issuer: string): boolean {
  return /\.(okta|oktapreview|okta-emea|okta-gov)\.com$/.test(hostOf(issuer));
}

function requireEntrasForm(configuration: ExternalIssuer): void {
  const { issuer, audiences, clientIdClaim, jwksUri } = configuration;
  const isFirstVersion = hostOf(issuer) === "sts.windows.net";
  const [form, claim] = isFirstVersion
    ? [/^https:\/\/[^/]+\/[^/]+\/$/, "appid"]
    : [/^https:\/\/[^/]+\/[^/]+\/v2\.0$/, "azp"];
  if (!form.test(issuer)) {
    throw against(
      "issuer",
      "Entra's issuer is https://login.microsoftonline.com/<tenant id>/v2.0, or https://sts.windows.net/<tenant id>/ for tokens of version 1.0, slashes as here",
    );
  }
  if (isFirstVersion && jwksUri === undefined) {
    throw against(
      "jwksUri",
      "Entra's tokens of version 1.0 name an issuer whose discovery is elsewhere: give the keys' URL, https://login.microsoftonline.com/<tenant id>/discovery/keys",
    );
  }
  if (clientIdClaim !== undefined && clientIdClaim !== claim) {
    throw against(
      "clientIdClaim",
      `In tokens of this issuer, Entra identifies the application with the claim ${claim}, not ${clientIdClaim}`,
    );
  }
  if (audiences.length === 0) {
    throw against(
      "audiences",
      "Entra signs tokens for every API of the tenant with the same keys: set the audience, which is the id of this API's application registration",
    );
  }
  if (audiences.some((audience) => GRAPH_AUDIENCES.has(audience.replace(/\/$/, "").toLowerCase()))) {
    throw against(
      "audiences",
      "Only Microsoft Graph can verify tokens for Graph: register an application for this API, and have clients request its scope",
    );
  }
  if (configuration.personBy === "subject") {
    throw against(
      "personBy",
      "Entra's sub differs between applications, so it never matches the SSO's: identify people by email",
    );
  }
  if (configuration.emailVouchedBy === "token" && configuration.emailVerifiedClaim === "email_verified") {
    throw against(
      "emailVouchedBy",
      "Entra's tokens have no email_verified: add the optional claim xms_edov and set it here, or vouch for the tenant's addresses as its administrator",
    );
  }
}

function requireGooglesForm(configuration: ExternalIssuer): void {
  if (configuration.issuer !== "https://accounts.google.com") {
    throw against("issuer", "Google's issuer is https://accounts.google.com, without a slash at the end");
  }
  if (configuration.personBy === "email") {
    const { emailVouchedBy, emailVerifiedClaim, personClaim } = configuration;
    if (emailVouchedBy !== "token" || emailVerifiedClaim !== "email_verified" || personClaim !== "email") {
      throw against("emailVouchedBy", "Google confirms emails with email_verified: keep email and email_verified");
    }
  }
}

function requireOktasForm({ issuer }: ExternalIssuer): void {
  if (/^https:\/\/[^/]+\/oauth2\/[A-Za-z0-9]+$/.test(issuer)) return;
  throw against(
    "issuer",
    "Access tokens of Okta's org authorization server are for Okta alone: use a custom one, https://<org>.okta.com/oauth2/<its id, or default>",
  );
}

function requireAuth0sForm({ issuer, audiences }: ExternalIssuer): void {
  if (!/^https:\/\/[^/]+\/$/.test(issuer))
    throw against("issuer", "Auth0's issuer ends with a slash: https://<tenant>.<region>.auth0.com/");
  if (audiences.length === 0) {
    throw against(
      "audiences",
      "Auth0 issues opaque tokens unless an API is requested: set the audience to that API's identifier",
    );
  }
  if (audiences.some((audience) => audience.startsWith(issuer) && /\/(userinfo|api\/v2\/?)$/.test(audience))) {
    throw against(
      "audiences",
      "Auth0's own APIs can't be the audience: use the identifier of the API that you created for this service",
    );
  }
}

/** Makes the refusal of a configuration. @param message what to change in the field, as a sentence */
export function against(field: keyof ExternalIssuer, message: string): AdministrationRefused {
  return new AdministrationRefused(message, field);
}
