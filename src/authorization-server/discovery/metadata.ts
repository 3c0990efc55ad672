import type { RequestInstance } from "#instance/request-instance.ts";
import { LANGUAGES } from "#messages/locale.ts";
import { CLIENT_CREDENTIALS, JWT_BEARER, TOKEN_EXCHANGE } from "#protocol/grant-types.ts";
import { givesIdJags } from "#issuers/external-issuer.ts";
import { OAuthError } from "#protocol/errors.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { SCOPES } from "#protocol/scopes.ts";
import { acceptsDocuments } from "#clients/registration-policy.ts";
import { AUTHENTICATION_METHODS } from "#clients/client.ts";
import { DPOP_ALGORITHMS } from "#dpop/dpop-proof.ts";
import { ASSERTION_ALGORITHMS } from "#clients/client-assertions.ts";

/**
 * Returns the authorization server's metadata (RFC 8414 §2). It names only what is on: a client that finds
 * `registration_endpoint` may register, and one that does not find it may not.
 */
export function authorizationServerMetadata({ issuer, policy }: RequestInstance): Readonly<Record<string, unknown>> {
  const { appRequirements } = policy.settings;
  const methods = AUTHENTICATION_METHODS.filter(
    (method) => method === "private_key_jwt" || !appRequirements.includes("private_key_jwt"),
  );
  return {
    issuer,
    authorization_endpoint: issuer + ENDPOINTS.authorization,
    pushed_authorization_request_endpoint: issuer + ENDPOINTS.pushedRequest,
    require_pushed_authorization_requests: appRequirements.includes("par"),
    token_endpoint: issuer + ENDPOINTS.token,
    ...(policy.settings.registration === "off" ? {} : { registration_endpoint: issuer + ENDPOINTS.registration }),
    client_id_metadata_document_supported: acceptsDocuments(policy.settings),
    revocation_endpoint: issuer + ENDPOINTS.revocation,
    introspection_endpoint: issuer + ENDPOINTS.introspection,
    jwks_uri: issuer + ENDPOINTS.jwks,
    scopes_supported: SCOPES,
    ui_locales_supported: Object.keys(LANGUAGES),
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    ...grantTypes(policy),
    ...authenticationAt("token_endpoint", methods),
    ...authenticationAt("revocation_endpoint", methods),
    ...authenticationAt(
      "introspection_endpoint",
      methods.filter((method) => method !== "none"),
    ),
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    dpop_signing_alg_values_supported: DPOP_ALGORITHMS,
  };
}

/**
 * Returns the grant types. Token exchange is listed if an app may use it. Identity assertions are listed if an issuer may send them, without naming it
 * (draft-ietf-oauth-identity-assertion-authz-grant §9.4).
 */
function grantTypes({ exchangers, externalIssuers }: RequestInstance["policy"]) {
  const exchange = exchangers.size === 0 ? [] : [TOKEN_EXCHANGE];
  const usual = { grant_types_supported: ["authorization_code", "refresh_token", CLIENT_CREDENTIALS, ...exchange] };
  if (![...externalIssuers.values()].some(givesIdJags)) return usual;
  return {
    grant_types_supported: [...usual.grant_types_supported, JWT_BEARER],
    authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
  };
}

/** Lists how clients authenticate at an endpoint. RFC 8414 §2 asks for the algorithms wherever assertions are accepted. */
function authenticationAt(endpoint: string, methods: readonly string[]) {
  return {
    [`${endpoint}_auth_methods_supported`]: methods,
    [`${endpoint}_auth_signing_alg_values_supported`]: ASSERTION_ALGORITHMS,
  };
}

/**
 * Requires that an administrator has turned the authorization server on. It is off by default.
 *
 * @throws {OAuthError} `oauth_not_enabled`
 */
export function requireOAuthEnabled({ policy }: RequestInstance): void {
  if (!policy.settings.oauthEnabled) throw new OAuthError("oauth_not_enabled", { reason: "oauth_not_enabled" });
}
