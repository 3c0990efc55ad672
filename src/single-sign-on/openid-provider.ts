import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import { findFault, type ForeignKind } from "#issuers/foreign-jwt.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { type SingleSignOn, singleSignOnPurpose } from "#settings/settings.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { OutgoingFetch } from "#platform/outgoing-fetch.ts";
import type { PublicCache } from "#platform/public-cache.ts";
import { PATIENCE_MILLISECONDS, within } from "#platform/patience.ts";
import { displayName } from "#protocol/display-name.ts";
import { OAuthError } from "#protocol/errors.ts";
import * as oauth from "oauth4webapi";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Metadata older than this is fetched again. If the SSO is down, the old metadata is still used. */
const METADATA_FRESH_SECONDS = 3600;

/** If there is old metadata, for how long newer metadata is not fetched again after a failure. */
const RETRY_AFTER_SECONDS = 60;

/**
 * The most issuers whose failures are remembered. Each instance has one issuer. A forgotten failure costs only another wait.
 */
const ISSUERS_MAX = 1000;

/** Its times are the library's to check, and its type isn't standardised. */
const ID_TOKEN: ForeignKind = { sharesAudience: true, lifetimeSecondsMax: Infinity };

/** As long as a whole response of the token endpoint may be. */
const ID_TOKEN_CHARACTERS_MAX = 512 * 1024;

/** Maximum characters of an SSO's error that are shown. Entra's name the person, the app, and the event in its log. */
const SAID_CHARACTERS_MAX = 400;

/** A sign-in's `state`, and the secrets that are derived from it. */
export interface SignInProof {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export interface SignInOptions {
  readonly prompt: string | undefined;
  readonly maxAge: string | undefined;
  readonly loginHint: string | undefined;
  /** Language tags, best first. */
  readonly uiLocales?: string | undefined;
  /**
   * How the person should authenticate, best first (OpenID Connect Core §3.1.2.1). The provider may ignore it, so callers that depend
   * on it must check the `acr` in the response.
   */
  readonly acrValues?: string | undefined;
}

/** What is known of an SSO: its metadata and its keys, if any were fetched. */
export interface KnownProvider {
  readonly server: oauth.AuthorizationServer;
  readonly keys: oauth.JWKSCacheInput;
}

/**
 * Gatehouse as a client of the organisation's SSO: OpenID Connect code flow with PKCE and nonce, using a certified library.
 */
export class OpenIdProvider {
  readonly #keyring: Keyring;
  readonly #cache: PublicCache;
  readonly #fetch: OutgoingFetch;
  readonly #localDevelopment: boolean;
  /** When the renewal of an issuer's metadata last failed. */
  readonly #failedAt = new BoundedMap<string, number>(ISSUERS_MAX);

  constructor(keyring: Keyring, cache: PublicCache, outgoingFetch: OutgoingFetch, localDevelopment: boolean) {
    this.#keyring = keyring;
    this.#cache = cache;
    this.#fetch = outgoingFetch;
    this.#localDevelopment = localDevelopment;
  }

  /**
   * Returns what is known of the SSO, which is fetched if it is unknown or old.
   *
   * @throws {OAuthError} `temporarily_unavailable` if it can't be reached, or has another issuer
   */
  async recall(sso: SingleSignOn): Promise<KnownProvider> {
    const [server, keys] = await Promise.all([
      this.#discover(sso),
      this.#cache.read<oauth.ExportedJWKSCache>(keysAt(sso)),
    ]);
    // The library ignores a slash at the end (OpenID Connect Discovery §4.3 doesn't), but people and signals are of one exact issuer.
    if (server.issuer !== sso.issuer) {
      return unavailable("sso_metadata_incomplete", new Error(`the SSO calls itself ${server.issuer}`));
    }
    return { server, keys: keys ?? {} };
  }

  /** Returns the URL at which the browser signs in (OpenID Connect Core §3.1.2.1). */
  async authorizationUrl(
    sso: SingleSignOn,
    server: oauth.AuthorizationServer,
    callbackUri: string,
    proof: SignInProof,
    options: SignInOptions,
  ): Promise<string> {
    const url = this.#signInPage(server);
    const parameters = {
      response_type: "code",
      client_id: sso.clientId,
      redirect_uri: callbackUri,
      scope: sso.scopes,
      state: proof.state,
      nonce: proof.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(proof.codeVerifier),
      code_challenge_method: "S256",
      prompt: options.prompt,
      max_age: options.maxAge,
      login_hint: options.loginHint,
      ui_locales: options.uiLocales,
      acr_values: options.acrValues,
    };
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
    return url.href;
  }

  /**
   * Exchanges the code in the SSO's response for an ID token, and validates it (OpenID Connect Core §3.1.3).
   *
   * @param answer the URL that the browser came back to
   * @returns the ID token's claims, and what ends when new keys are cached
   * @throws {OAuthError} `access_denied` if the SSO refused or its response is invalid; `temporarily_unavailable` if it can't be reached
   */
  async redeem(
    sso: SingleSignOn,
    { server, keys }: KnownProvider,
    instanceName: string,
    answer: URL,
    callbackUri: string,
    proof: SignInProof,
    options: SignInOptions,
  ): Promise<{ claims: Readonly<Record<string, unknown>>; kept: Promise<void> | undefined }> {
    const secret = await this.#keyring.open(singleSignOnPurpose(instanceName), sso.sealedClientSecret);
    const client: oauth.Client = { client_id: sso.clientId, [oauth.clockTolerance]: 30 };
    const keysFrom = keys.uat;
    try {
      const parameters = oauth.validateAuthResponse(server, client, answer, proof.state);
      const authentication =
        authenticationMethod(sso.clientAuthentication, server.token_endpoint_auth_methods_supported) ===
        "client_secret_post"
          ? oauth.ClientSecretPost(secret)
          : oauth.ClientSecretBasic(secret);
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        callbackUri,
        proof.codeVerifier,
        this.#options(),
      );
      if (response.status >= 500) unavailable("sso_token_endpoint_failed");
      const result = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: proof.nonce,
        requireIdToken: true,
        ...(options.maxAge === undefined ? {} : { maxAge: Number(options.maxAge) }),
      });
      await oauth.validateApplicationLevelSignature(server, response, { ...this.#options(), [oauth.jwksCache]: keys });
      const claims = readStrictly(result.id_token, sso.clientId);
      return { claims, kept: keys.uat === keysFrom ? undefined : this.#cache.write(keysAt(sso), usedKeys(keys)) };
    } catch (error) {
      throw translate(error);
    }
  }

  /**
   * Returns the SSO's authorization endpoint. No browser is sent to it before it is known to be an https URL (or http, locally).
   */
  #signInPage({ authorization_endpoint: endpoint }: oauth.AuthorizationServer): URL {
    const url = typeof endpoint === "string" && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url?.protocol === "https:" || (url?.protocol === "http:" && this.#localDevelopment)) return url;
    return unavailable("sso_metadata_incomplete");
  }

  async #discover(sso: SingleSignOn): Promise<oauth.AuthorizationServer> {
    const key = `sso-metadata:${sso.issuer}`;
    const cached = await this.#cache.read<{ fetchedAt: number; metadata: oauth.AuthorizationServer }>(key);
    const now = epochSeconds();
    if (cached && now - cached.fetchedAt < METADATA_FRESH_SECONDS) return cached.metadata;
    if (cached && now - (this.#failedAt.get(sso.issuer) ?? 0) < RETRY_AFTER_SECONDS) return cached.metadata;
    try {
      const issuer = new URL(sso.issuer);
      const asked = oauth.discoveryRequest(issuer, this.#options());
      const response = await (cached ? within(PATIENCE_MILLISECONDS, "no answer in time", asked) : asked);
      const metadata = await oauth.processDiscoveryResponse(issuer, response);
      const used = usedMembers(metadata);
      await this.#cache.write(key, { fetchedAt: now, metadata: used });
      return used;
    } catch (cause) {
      this.#failedAt.set(sso.issuer, now);
      if (cached) return cached.metadata;
      return unavailable("sso_unreachable", cause);
    }
  }

  #options() {
    return {
      [oauth.allowInsecureRequests]: this.#localDevelopment,
      [oauth.customFetch]: (url: string, init: object) => this.#fetch(url, init),
    };
  }
}

/** The members of the SSO's metadata that are used here or by the library (OpenID Connect Discovery §3, RFC 9207 §3). */
const METADATA_MEMBERS = [
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "jwks_uri",
  "token_endpoint_auth_methods_supported",
  "id_token_signing_alg_values_supported",
  "authorization_response_iss_parameter_supported",
] as const;

/** Returns the place of an SSO's keys in the cache. */
function keysAt({ issuer }: SingleSignOn): string {
  return `sso-jwks:${issuer}`;
}

function usedMembers(metadata: oauth.AuthorizationServer): oauth.AuthorizationServer {
  const used = METADATA_MEMBERS.map((name): [string, unknown] => [name, metadata[name]]);
  return { ...Object.fromEntries(used), issuer: metadata.issuer };
}

/** The members of a public key that the library uses. */
const KEY_MEMBERS = ["kid", "kty", "use", "key_ops", "alg", "crv", "x", "y", "n", "e"] as const;

function usedKeys({ jwks, uat }: oauth.JWKSCacheInput): oauth.JWKSCacheInput {
  if (jwks === undefined || uat === undefined) return {};
  const keys = jwks.keys.map((key) =>
    Object.fromEntries(KEY_MEMBERS.map((name): [string, unknown] => [name, key[name]])),
  );
  return { uat, jwks: { keys } };
}

/**
 * Returns the client authentication method: the administrator's choice, or one that the SSO's metadata lists, preferably Basic.
 *
 * @param listed the methods in the metadata; Basic if it lists none (OpenID Connect Discovery §3)
 */
export function authenticationMethod(
  chosen: SingleSignOn["clientAuthentication"],
  listed: readonly unknown[] = ["client_secret_basic"],
): string {
  return chosen ?? (listed.includes("client_secret_basic") ? "client_secret_basic" : "client_secret_post");
}

/**
 * Reads the claims of an ID token that the library has validated, with checks that the library doesn't make. A token with a
 * duplicate member is refused, because different parsers read it differently (RFC 7519 §4). A token that was issued to another
 * client (`azp`) is refused even if its audience is right (OpenID Connect Core §3.1.3.7), and so is one that is bound to a key or
 * describes an event.
 *
 * @throws {OAuthError} `access_denied`
 */
function readStrictly(idToken: string | undefined, clientId: string): Readonly<Record<string, unknown>> {
  const jwt = parseCompactJwt(idToken ?? "", ID_TOKEN_CHARACTERS_MAX);
  if (!jwt) throw untrusted(new Error("the ID token is not written the one right way"));
  const fault = findFault(jwt, ID_TOKEN, { audiences: [clientId], now: 0 }, ["key", "event", "audience"]);
  if (fault) throw untrusted(new Error(`the ID token was made for another purpose: ${fault}`));
  const { payload: claims } = jwt;
  const { azp = clientId } = claims;
  if (azp !== clientId) throw untrusted(new Error("the ID token was issued to another client"));
  return claims;
}

/**
 * Converts errors, and distinguishes between an SSO that refuses, one whose response is invalid, and one that doesn't respond.
 */
function translate(error: unknown): Error {
  if (error instanceof OAuthError) return error;
  if (error instanceof oauth.AuthorizationResponseError) {
    const said = [error.error, error.error_description].filter(Boolean).join(": ");
    const about = displayName(said, SAID_CHARACTERS_MAX) ?? "";
    return new OAuthError("access_denied", {
      reason: "sso_answered_error",
      about,
      description: `Your organisation's sign-in refused access: ask your administrator. Its answer: ${about}`,
      cause: error,
    });
  }
  if (
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.ResponseBodyError ||
    error instanceof oauth.WWWAuthenticateChallengeError ||
    error instanceof oauth.UnsupportedOperationError
  ) {
    return untrusted(error);
  }
  return new OAuthError("temporarily_unavailable", {
    reason: "sso_unreachable",
    description: "Your organisation's sign-in cannot be reached right now: try again shortly",
    cause: error,
  });
}

function untrusted(cause: unknown): OAuthError {
  return new OAuthError("access_denied", {
    reason: "sso_answer_invalid",
    description: "The response of your organisation's sign-in can't be trusted: try again, or tell your administrator",
    cause,
  });
}

function unavailable(reason: RefusalReason, cause?: unknown): never {
  throw new OAuthError("temporarily_unavailable", {
    reason,
    description: "Your organisation's sign-in cannot be reached right now: try again shortly",
    cause,
  });
}
