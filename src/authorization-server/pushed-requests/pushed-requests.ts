import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import {
  parseAuthorizationRequest,
  requireRegisteredRedirectUri,
} from "#authorization-server/authorization/authorization-request.ts";
import { requireClient } from "#authorization-server/authorization/authorize.ts";
import { requireAuthentic } from "#authorization-server/client-authentication/client-authentication.ts";
import type { TokenRequest } from "#authorization-server/token/tokens.ts";
import type { AuthorizationRequest } from "#authorization-requests/authorization-request.ts";
import { PUSHED_REQUEST_LIFETIME_SECONDS } from "#authorization-requests/pending-requests.ts";
import type { Client } from "#clients/client.ts";
import { isDocumentUrl } from "#clients/document-clients.ts";
import { requireKeyUsed, requirementsOf } from "#clients/client-requirements.ts";
import { hashToken, randomSecret } from "#crypto/secrets.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { matchesRegistered } from "#protocol/redirect-uri.ts";

/** The beginning of every reference (RFC 9126 §2.2). A random value follows, which works once. */
const REFERENCE = "urn:ietf:params:oauth:request_uri:";

/**
 * Checks whether a `request_uri` refers to a pushed request, and not to a request object elsewhere (RFC 9101 §5.2), which is not
 * supported.
 */
export function isReference(requestUri: string | undefined): requestUri is string {
  return requestUri?.startsWith(REFERENCE) ?? false;
}

/** The response to a pushed request (RFC 9126 §2.2). */
export interface PushedAnswer {
  readonly request_uri: string;
  readonly expires_in: number;
}

/**
 * Authenticates the client, validates its request and stores it, before the client sends the browser (RFC 9126).
 *
 * @param caller the network that the request came from
 * @throws {OAuthError} the token endpoint's errors for the client, and the authorization endpoint's for the rest (RFC 9126 §2.3)
 */
export async function push(
  services: OAuthServices,
  instance: RequestInstance,
  request: TokenRequest,
  caller: string | undefined,
): Promise<PushedAnswer> {
  const { parameters, proved } = request;
  const keyThumbprint = await services.dpopProofs.keyOfClient(instance, proved);
  const client = await authenticate(services, instance, request);
  return ofConnection({ clientId: client.id }, async () => {
    // FAPI 2.0 §5.3.2.2-6: the pushed request itself must say where the response goes, whatever is registered later.
    if (parameters.one("redirect_uri") === undefined) {
      const description = "The parameter redirect_uri is missing";
      throw new OAuthError("invalid_request", { reason: "redirect_uri_missing", description });
    }
    const redirectUri = requireRegisteredRedirectUri(parameters, client, instance.issuer);
    const asked = parseAuthorizationRequest(parameters, client, redirectUri, instance);
    return keep(services, instance, withKey(asked, keyThumbprint), caller);
  });
}

/**
 * Takes the pushed request whose reference the browser sends. It works once, and only while its redirect URI is registered.
 *
 * @throws {OAuthError} `invalid_request_uri`, shown on our own error page because the redirect URI is unknown
 */
export async function takePushed(
  { pendingRequests }: OAuthServices,
  { issuer, policy }: RequestInstance,
  client: Client,
  requestUri: string,
): Promise<AuthorizationRequest> {
  const handleHash = await hashToken(requestUri.slice(REFERENCE.length));
  const key = { handleHash, instanceId: policy.instanceId, clientId: client.id, issuer };
  const request = await pendingRequests.claimPushed(key, epochSeconds());
  if (request && matchesRegistered(request.redirectUri, client.redirectUris)) {
    return request;
  }
  throw new OAuthError("invalid_request_uri", {
    reason: "pushed_request_unknown",
    connection: { clientId: client.id },
  });
}

/** Authenticates the client. If a document describes it, the document is read first, because it contains the keys. */
async function authenticate(
  services: OAuthServices,
  instance: RequestInstance,
  request: TokenRequest,
): Promise<Client> {
  const find = (clientId: string) => requireClient(services, instance, clientId, request.beforeStranger);
  const named = request.parameters.one("client_id");
  const described = named !== undefined && isDocumentUrl(named) ? await find(named) : undefined;
  const { clientId, proof } = await requireAuthentic(services, instance, request);
  const client = described ?? (await find(clientId));
  requireKeyUsed(requirementsOf(client, instance.policy.settings), proof);
  return client;
}

async function keep(
  { pendingRequests }: OAuthServices,
  { policy }: RequestInstance,
  request: AuthorizationRequest,
  caller: string | undefined,
): Promise<PushedAnswer> {
  const reference = randomSecret();
  const now = epochSeconds();
  const kept = await pendingRequests.push(
    {
      handleHash: await hashToken(reference),
      instanceId: policy.instanceId,
      request,
      expiresAt: now + PUSHED_REQUEST_LIFETIME_SECONDS,
      caller,
    },
    now,
  );
  if (!kept) throw new OAuthError("slow_down", { reason: "requests_of_caller_too_many", retryAfterSeconds: 60 });
  return { request_uri: REFERENCE + reference, expires_in: PUSHED_REQUEST_LIFETIME_SECONDS };
}

/** Binds the code to the proof's key, as `dpop_jkt` does. If both are sent, they must name the same key (RFC 9449 §10.1). */
function withKey(request: AuthorizationRequest, proved: string | undefined): AuthorizationRequest {
  if (proved === undefined || request.keyThumbprint === proved) return request;
  if (request.keyThumbprint === undefined) return { ...request, keyThumbprint: proved };
  throw new OAuthError("invalid_request", {
    reason: "dpop_jkt_differs",
    description: "dpop_jkt names another key than the one that signed the DPoP proof",
  });
}
