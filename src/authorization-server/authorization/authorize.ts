import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { hashToken, randomSecret } from "#crypto/secrets.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { matchesRegistered, withRefusal } from "#protocol/redirect-uri.ts";
import type { Client } from "#clients/client.ts";
import { isAccepted } from "#clients/registration-policy.ts";
import { isDocumentUrl } from "#clients/document-clients.ts";
import { ssoWithoutAsking } from "#single-sign-on/choosing.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { isCancelled, type ReadSso } from "#single-sign-on/sign-in.ts";
import type { AuthorizationRequest } from "#authorization-requests/authorization-request.ts";
import { AUTHORIZATION_REQUEST_LIFETIME_SECONDS } from "#authorization-requests/pending-requests.ts";
import { epochSeconds } from "#platform/clock.ts";
import { mayRedirectUnasked } from "./unasked-redirects.ts";

/**
 * Finds the client of a request.
 *
 * @param beforeFetch called before a client metadata document is fetched from a URL that the request names
 * @throws {OAuthError} shown on our own error page, because there is no redirect URI yet that could be trusted
 */
export async function requireClient(
  services: OAuthServices,
  { policy }: RequestInstance,
  clientId: string,
  beforeFetch: () => Promise<void>,
): Promise<Client> {
  const isClosed = policy.settings.registration === "off";
  const client = await findClient(services, policy, clientId, beforeFetch);
  const isKeptOut = client ? !isAccepted(client, policy.settings) : isClosed && isDocumentUrl(clientId);
  if (isKeptOut) {
    throw new OAuthError("access_denied", {
      reason: "registration_off",
      description:
        "Your organisation accepts only apps that an administrator created or approved: ask your administrator",
    });
  }
  if (client) return client;
  throw new OAuthError("invalid_request", {
    reason: "client_unknown",
    description: "This app is not registered any more: remove the connection in the app, then connect again",
  });
}

/**
 * Finds a client. An id that is a URL means a client metadata document; if documents are not accepted, it finds nothing. While no
 * new app is accepted, no document is read: an approved one counts as it was approved.
 */
async function findClient(
  { clients, documentClients }: OAuthServices,
  policy: PolicySnapshot,
  clientId: string,
  beforeFetch: () => Promise<void>,
): Promise<Client | null> {
  if (!isDocumentUrl(clientId) || policy.settings.registration === "off")
    return clients.findEnabled(policy.instanceId, clientId);
  return policy.settings.clientIdMetadataDocuments ? documentClients.find(policy, clientId, beforeFetch) : null;
}

/**
 * Stores the request and returns the URL where the browser signs in; or, if there are several SSOs and the request doesn't say
 * which, the handle for {@link chooseSso}.
 *
 * @param ahead what was read ahead of the organisation's SSO
 * @param browser the secret in this browser's cookie
 * @param caller the network that the request came from
 * @throws {OAuthError} `slow_down` if that network has too many pending requests
 */
export async function beginSignIn(
  { pendingRequests, signIn }: OAuthServices,
  instance: RequestInstance,
  ahead: ReadSso | undefined,
  asked: AuthorizationRequest,
  browser: string,
  caller: string | undefined,
): Promise<{ readonly url: string } | { readonly handle: string }> {
  const state = signIn.newState();
  const sso = ssoWithoutAsking(instance.policy.singleSignOns, asked.loginHint);
  const at = ahead ?? (sso && signIn.read(sso));
  const next = at ? { url: await signIn.url(instance, at, state, asked) } : { handle: state };
  const request = { ...asked, ssoIssuer: sso?.issuer };
  const now = epochSeconds();
  const begun = await pendingRequests.begin(
    {
      handleHash: await hashToken(state),
      instanceId: instance.policy.instanceId,
      browserHash: await hashToken(browser),
      request,
      expiresAt: now + AUTHORIZATION_REQUEST_LIFETIME_SECONDS,
      caller,
    },
    now,
  );
  if (!begun) throw new OAuthError("slow_down", { reason: "requests_of_caller_too_many", retryAfterSeconds: 60 });
  return next;
}

/**
 * Stores the SSO that the person chose, and returns the URL where the browser signs in.
 *
 * @param handle from {@link beginSignIn}
 * @throws {OAuthError} `invalid_request` if no request waits for this browser's choice
 */
export async function chooseSso(
  { pendingRequests, signIn }: OAuthServices,
  instance: RequestInstance,
  handle: string,
  sso: SingleSignOn,
  browser: string,
): Promise<string> {
  const at = signIn.read(sso);
  // If the SSO can't be reached, the person can still choose another.
  await at.known;
  const state = signIn.newState();
  const { instanceId } = instance.policy;
  const key = { handleHash: await hashToken(handle), instanceId, browserHash: await hashToken(browser) };
  const request = await pendingRequests.choose(key, await hashToken(state), sso.issuer, epochSeconds());
  if (!request) throw unknownSignIn();
  return signIn.url(instance, at, state, request);
}

/**
 * Handles the browser's return from the SSO. The state works once, and only in the browser that began.
 *
 * @param answer the URL that the browser returned to
 * @returns the request with the handle of its consent page; or, if the person cancelled, with the URL that tells the app so,
 *   and whether the browser may be redirected there without asking
 * @throws {OAuthError} shown on our own error page
 */
export async function returnFromSignIn(
  { clients, pendingRequests, signIn }: OAuthServices,
  instance: RequestInstance,
  answer: URL,
  state: string,
  browser: string,
): Promise<{ request: AuthorizationRequest } & ({ handle: string } | { cancelled: string; isUnasked: boolean })> {
  const { instanceId } = instance.policy;
  const ahead = signIn.readAhead(instance);
  const key = { handleHash: await hashToken(state), instanceId, browserHash: await hashToken(browser) };
  const request = await pendingRequests.claimReturn(key, epochSeconds());
  if (!request) throw unknownSignIn();
  if (isCancelled(answer)) {
    const client = await clients.findEnabled(instanceId, request.clientId);
    const { redirectUri } = request;
    const isUnasked =
      client !== null && matchesRegistered(redirectUri, client.redirectUris) && mayRedirectUnasked(client, redirectUri);
    // There was nothing to consent to, so the app gets the same code as after Deny (OAuth 2.1 §4.1.2.1).
    const refusal = { code: "access_denied", description: "The person cancelled the sign-in" };
    return { request, cancelled: withRefusal(request, refusal), isUnasked };
  }
  const handle = randomSecret();
  const forApp = { clientId: request.clientId, request: { key, nextHandleHash: await hashToken(handle) } };
  await ofConnection(request, () => signIn.person(instance, ahead, request.ssoIssuer, answer, state, request, forApp));
  return { request, handle };
}

function unknownSignIn(): OAuthError {
  return new OAuthError("invalid_request", {
    reason: "sign_in_unknown",
    description:
      "This sign-in has expired, was already completed, or was started in another browser: start again in the app",
  });
}
