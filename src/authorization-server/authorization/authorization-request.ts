import { randomId } from "#crypto/secrets.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { isThumbprint } from "#protocol/access-token-claims.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { isOfOrigin, isRedirectUri, matchesRegistered } from "#protocol/redirect-uri.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { narrowScopes, opensAnything } from "#protocol/scopes.ts";
import { utf8Length } from "#protocol/utf8-length.ts";
import { allowedScopes, unaskedScopes } from "#clients/allowed-scopes.ts";
import type { Client } from "#clients/client.ts";
import { requireAuthorizable } from "#clients/client-requirements.ts";
import type { AuthorizationRequest } from "#authorization-requests/authorization-request.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** The form of an S256 code challenge: 32 bytes, which are 43 base64url characters (RFC 7636 §4.2). */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Maximum length of `state` in bytes. Even apps that put their whole state into it stay below this. */
const STATE_BYTES_MAX = 4096;

/** Maximum length of `login_hint` in bytes: the longest email address, with some room to spare. */
const LOGIN_HINT_BYTES_MAX = 512;

/** Maximum length of `ui_locales` in characters: enough for every language that a person reads. */
const UI_LOCALES_LENGTH_MAX = 100;

/** Maximum length of `nonce` in bytes. A nonce is a random value, and is stored with the grant. */
const NONCE_BYTES_MAX = 512;

/** The values of `prompt` that OpenID Connect Core §3.1.2.1 defines. */
const PROMPTS = new Set(["none", "login", "consent", "select_account"]);

/**
 * Returns the redirect URI that the response to this request may be sent to. Called before anything else is checked: until the
 * redirect URI is known to be the client's, nothing may be sent to it (RFC 9700 §4.11).
 *
 * @throws {OAuthError} `invalid_request`, shown on our own error page and never sent by a redirect
 */
export function requireRegisteredRedirectUri(parameters: Parameters, client: Client, issuer: string): string {
  const redirectUri = registeredRedirectUri(parameters, client);
  if (!isOfOrigin(redirectUri, issuer)) return redirectUri;
  throw new OAuthError("invalid_request", {
    reason: "redirect_uri_own",
    description: "The redirect_uri leads back to this service, not to an app",
  });
}

function registeredRedirectUri(parameters: Parameters, client: Client): string {
  const presented = parameters.one("redirect_uri");
  if (presented === undefined) {
    const [only, ...others] = client.redirectUris;
    if (only !== undefined && others.length === 0) return only;
    throw new OAuthError("invalid_request", {
      reason: "redirect_uri_missing",
      description: "The parameter redirect_uri is missing, and the client registered more than one",
    });
  }
  if (!isRedirectUri(presented) || !matchesRegistered(presented, client.redirectUris)) {
    throw new OAuthError("invalid_request", {
      reason: "redirect_uri_not_registered",
      description: "The redirect_uri is not one that this client registered",
    });
  }
  return presented;
}

/**
 * Validates the rest of the request (OAuth 2.1 §4.1.1).
 *
 * @throws {OAuthError} which may be sent to the redirect URI
 */
export function parseAuthorizationRequest(
  parameters: Parameters,
  client: Client,
  redirectUri: string,
  { issuer, policy }: RequestInstance,
): AuthorizationRequest {
  parameters.requireUnrepeated(["resource"]);
  refuseUnsupported(parameters);
  requireAuthorizable(client, policy.settings);
  if (parameters.require("response_type") !== "code") {
    throw new OAuthError("unsupported_response_type", { reason: "response_type_not_code" });
  }
  const codeChallenge = requireCodeChallenge(parameters);
  const resource = parseResource(parameters.all("resource"), issuer) ?? issuer;
  const allowed = allowedScopes(client, policy.settings, redirectUri);
  const scope = narrowScopes(parameters.one("scope") ?? unaskedScopes(client, allowed).join(" "), allowed);
  if (!opensAnything(scope)) {
    throw new OAuthError("invalid_scope", {
      reason: "scope_empty",
      description: `None of the requested scopes is available to this client: it may request ${allowed.join(" ")}`,
    });
  }
  requireBounded(parameters, "state", STATE_BYTES_MAX);
  requireBounded(parameters, "login_hint", LOGIN_HINT_BYTES_MAX);
  requireBounded(parameters, "nonce", NONCE_BYTES_MAX);
  return {
    grantId: randomId(),
    issuer,
    clientId: client.id,
    redirectUri,
    state: parameters.one("state"),
    scope,
    resource,
    codeChallenge,
    keyThumbprint: requireThumbprint(parameters),
    nonce: parameters.one("nonce"),
    prompt: promptForSso(parameters),
    maxAge: requireMaxAge(parameters),
    loginHint: parameters.one("login_hint"),
    uiLocales: boundedLocales(parameters.one("ui_locales")),
  };
}

/**
 * Limits the length of a parameter. Requests are stored until the person answers, so every stored parameter needs a limit:
 * otherwise anyone could fill the storage.
 */
function requireBounded(parameters: Parameters, name: string, bytesMax: number): void {
  const value = parameters.one(name);
  if (value === undefined || utf8Length(value) <= bytesMax) return;
  throw new OAuthError("invalid_request", {
    reason: "parameter_too_long",
    about: name,
    description: `The parameter ${name} may have at most ${bytesMax} bytes`,
  });
}

/**
 * Returns the requested languages. An unsupported language is not an error (OpenID Connect Core §3.1.2.1), so an invalid list is
 * ignored.
 */
function boundedLocales(uiLocales: string | undefined): string | undefined {
  return uiLocales !== undefined && uiLocales.length <= UI_LOCALES_LENGTH_MAX && /^[A-Za-z0-9 -]+$/.test(uiLocales)
    ? uiLocales
    : undefined;
}

function refuseUnsupported(parameters: Parameters): void {
  // A pushed request never gets here, because its request_uri replaces all other parameters.
  for (const name of ["request", "request_uri"] as const) {
    if (parameters.one(name) !== undefined) {
      throw new OAuthError(`${name}_not_supported`, { reason: "parameter_unsupported", about: name });
    }
  }
  const responseMode = parameters.one("response_mode");
  if (responseMode !== undefined && responseMode !== "query") {
    throw new OAuthError("invalid_request", {
      reason: "parameter_unsupported",
      about: "response_mode",
      description: "Use response_mode=query",
    });
  }
}

/** Requires PKCE with S256 from every client, so that a code stolen on its way to the app is useless (OAuth 2.1 §4.1.1, §7.5). */
function requireCodeChallenge(parameters: Parameters): string {
  const challenge = parameters.one("code_challenge");
  const refuse = (reason: RefusalReason) =>
    new OAuthError("invalid_request", {
      reason,
      description: "PKCE is required: send code_challenge (43 base64url characters) and code_challenge_method=S256",
    });
  if (challenge === undefined) throw refuse("code_challenge_missing");
  if (parameters.one("code_challenge_method") !== "S256") throw refuse("code_challenge_method_not_s256");
  if (!CODE_CHALLENGE.test(challenge)) throw refuse("code_challenge_malformed");
  return challenge;
}

/** Returns the thumbprint of the key that the code will be bound to (RFC 9449 §10); `undefined` if the client names none. */
function requireThumbprint(parameters: Parameters): string | undefined {
  const thumbprint = parameters.one("dpop_jkt");
  if (thumbprint === undefined || isThumbprint(thumbprint)) return thumbprint;
  throw new OAuthError("invalid_request", {
    reason: "dpop_jkt_malformed",
    description: "dpop_jkt must be the SHA-256 thumbprint of a key: 43 base64url characters",
  });
}

/** Returns the part of `prompt` that is meant for the SSO. Our own consent page is shown every time, requested or not. */
function promptForSso(parameters: Parameters): string | undefined {
  const prompt = parameters.one("prompt");
  if (prompt === undefined) return undefined;
  const words = [...new Set(prompt.split(" "))].filter((word) => word !== "");
  if (!words.every((word) => PROMPTS.has(word)) || (words.includes("none") && words.length > 1)) {
    throw new OAuthError("invalid_request", {
      reason: "prompt_unknown",
      description: "The value of prompt is not supported",
    });
  }
  if (words.includes("none")) throw new OAuthError("login_required", { reason: "prompt_none_impossible" });
  const forSso = words.filter((word) => word !== "consent");
  return forSso.length === 0 ? undefined : forSso.join(" ");
}

function requireMaxAge(parameters: Parameters): string | undefined {
  const maxAge = parameters.one("max_age");
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) {
    throw new OAuthError("invalid_request", {
      reason: "max_age_malformed",
      description: "max_age must be a number of seconds",
    });
  }
  return maxAge;
}
