import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { hashToken, randomSecret } from "#crypto/secrets.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { matchesRegistered, withParameters, withRefusal } from "#protocol/redirect-uri.ts";
import { narrowScopes, opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";
import { isAccepted } from "#clients/registration-policy.ts";
import type { PendingKey, RequestAtConsent } from "#authorization-requests/pending-requests.ts";
import type { Client } from "#clients/client.ts";
import type { AuthorizationRequest } from "#authorization-requests/authorization-request.ts";
import { displayName } from "#protocol/display-name.ts";
import { CODE_LIFETIME_SECONDS } from "#grants/grant.ts";
import { epochSeconds } from "#platform/clock.ts";

/** The most characters of the reason that a person gives for an app. */
export const REASON_CHARACTERS_MAX = 300;

/** The content of a consent page, with the handle and the CSRF token that it posts back. */
export interface ConsentQuestion extends RequestAtConsent {
  /** The requested scopes that this person may grant, in the spelling of the request. */
  readonly scope: readonly string[];
  /** Set if there is nothing to ask, because the app's rules allow this person no scope. */
  readonly leftOut: OAuthError | undefined;
  readonly handle: string;
  readonly csrfToken: string;
}

/** What the page also shows. */
export interface ShownQuestion extends ConsentQuestion {
  /** The scopes that the person has already allowed this client. */
  readonly heldScopes: readonly Scope[];
  /** Set if there is nothing to ask yet, because the app waits for approval. */
  readonly waiting: { readonly refusal: OAuthError; readonly hasAsked: boolean } | undefined;
}

/** The values that a consent page posts back. */
export interface ConsentAnswer {
  readonly handle: string;
  readonly browser: string;
  readonly csrfToken: string;
  /** The scopes that the person left selected; `null` for Deny. */
  readonly allowedScopes: readonly string[] | null;
}

/**
 * Returns what to ask the person.
 *
 * @throws {OAuthError} `invalid_request` if no request waits for consent under this handle in this browser, or the app may no
 *   longer ask
 */
export async function consentQuestion(
  services: OAuthServices,
  instance: RequestInstance,
  handle: string,
  browser: string,
): Promise<ShownQuestion> {
  const atConsent = await read(services, instance, handle, browser);
  const { client, person } = atConsent;
  const [question, apps] = await Promise.all([
    ask(services, instance, atConsent, handle, browser),
    services.grants.appsOf(instance.policy, person.id),
  ]);
  const held = apps.find(({ clientId }) => clientId === client.id);
  const { instanceId } = instance.policy;
  const waiting = client.isPending
    ? { refusal: unapproved(), hasAsked: await services.appRequests.has(instanceId, person.id, client.app) }
    : undefined;
  return { ...question, heldScopes: parseScopes(held?.scopes.join(" ") ?? ""), waiting };
}

/**
 * Asks the administrators to approve the app. The request stays open, so that the person can go on if they approve it in time.
 *
 * @param reason why the person needs it, as they typed it
 * @throws {OAuthError} as {@link consentQuestion}
 */
export async function askForApproval(
  services: OAuthServices,
  instance: RequestInstance,
  answer: Omit<ConsentAnswer, "allowedScopes">,
  reason: string,
): Promise<void> {
  await requireGenuine(services, answer);
  const { client, person } = await read(services, instance, answer.handle, answer.browser);
  if (!client.isPending) return;
  const words = displayName(reason, REASON_CHARACTERS_MAX) ?? "";
  await services.appRequests.add(
    instance.policy.instanceId,
    person,
    { app: client.app, clientId: client.id },
    words,
    epochSeconds(),
  );
}

async function requireGenuine(
  { keyring }: OAuthServices,
  { browser, handle, csrfToken }: Omit<ConsentAnswer, "allowedScopes">,
): Promise<void> {
  const isGenuine = await keyring.verifyMac("consent-csrf", `${browser} ${handle}`, csrfToken);
  if (!isGenuine) throw gone("csrf_token_wrong");
}

async function read(
  { pendingRequests }: OAuthServices,
  instance: RequestInstance,
  handle: string,
  browser: string,
): Promise<RequestAtConsent> {
  const key = await keyOf(instance.policy.instanceId, handle, browser);
  const atConsent = await pendingRequests.readAtConsent(key, epochSeconds());
  if (!atConsent || atConsent.request.issuer !== instance.issuer) throw gone();
  if (!mayStillAsk(atConsent.client, atConsent.request, instance)) throw gone();
  return atConsent;
}

async function ask(
  { appAccess, keyring }: OAuthServices,
  instance: RequestInstance,
  atConsent: RequestAtConsent,
  handle: string,
  browser: string,
): Promise<ConsentQuestion> {
  const { client, request, person } = atConsent;
  const allowed = await appAccess.scopesFor(instance.policy, client, { personId: person.id });
  const scope = narrowScopes(request.scope.join(" "), allowed);
  const csrfToken = await keyring.mac("consent-csrf", `${browser} ${handle}`);
  return {
    ...atConsent,
    scope,
    leftOut: opensAnything(scope) ? undefined : notForPerson(),
    handle,
    csrfToken,
  };
}

/**
 * Writes the person's decision.
 *
 * @returns where the browser goes (the client's redirect URI with a code or with `access_denied`), the request, and the refusal
 *   if it was denied
 * @throws {OAuthError} `invalid_request` for a forged or repeated answer; `slow_down` if the person has allowed too many apps
 */
export async function decideConsent(
  services: OAuthServices,
  instance: RequestInstance,
  answer: ConsentAnswer,
): Promise<{ target: string; request: AuthorizationRequest; denial?: OAuthError }> {
  await requireGenuine(services, answer);
  const { handle, browser } = answer;
  const question = await ask(services, instance, await read(services, instance, handle, browser), handle, browser);
  const key = await keyOf(instance.policy.instanceId, handle, browser);
  const { request } = question;
  const isWaiting = question.client.isPending;
  if (question.leftOut || isWaiting || answer.allowedScopes === null) {
    const denied = () => (isWaiting ? unapproved() : denial("consent_denied", "The person denied the request"));
    const refusal = question.leftOut ?? denied();
    const now = epochSeconds();
    const isClosed = await services.pendingRequests.close(key, now, {
      instanceId: key.instanceId,
      at: now,
      actor: question.person.id,
      event: "app_denied",
      detail: { clientId: request.clientId, scope: request.scope.join(" "), reason: refusal.reason },
    });
    if (!isClosed) throw gone();
    return { target: withRefusal(request, refusal), request, denial: refusal };
  }
  const scope = narrowScopes(question.scope.join(" "), parseScopes(answer.allowedScopes.join(" ")));
  if (!opensAnything(scope)) {
    throw new OAuthError("invalid_request", {
      reason: "consent_without_scopes",
      connection: request,
      description: "No scope was selected: go back and select what the app may do, or choose Deny",
    });
  }
  return { target: await grant(services, instance, key, question, scope), request };
}

async function grant(
  { tokenGrants }: OAuthServices,
  { issuer, policy }: RequestInstance,
  key: PendingKey,
  question: ConsentQuestion,
  scope: readonly string[],
): Promise<string> {
  const { request, person } = question;
  const { settings, instanceId } = policy;
  const now = epochSeconds();
  const code = randomSecret();
  const scopes = parseScopes(scope.join(" "));
  const lifetime = scopes.includes("offline_access")
    ? settings.grantLifetimeSeconds
    : settings.accessTokenLifetimeSeconds;
  const addition = await tokenGrants.add(key, {
    id: request.grantId,
    instanceId,
    issuer: request.issuer,
    clientId: request.clientId,
    personId: person.id,
    scope: scope.join(" "),
    resource: request.resource,
    redirectUri: request.redirectUri,
    codeHash: await hashToken(code),
    codeChallenge: request.codeChallenge,
    keyThumbprint: request.keyThumbprint,
    nonce: scopes.includes("openid") ? request.nonce : undefined,
    codeExpiresAt: now + CODE_LIFETIME_SECONDS,
    createdAt: now,
    expiresAt: now + lifetime,
  });
  if (addition === "gone") throw gone();
  if (addition === "too-many") {
    throw new OAuthError("slow_down", {
      reason: "grants_of_person_too_many",
      connection: request,
      description: "You have allowed many apps in the last hour: wait a while, then try again",
      retryAfterSeconds: 3600,
    });
  }
  return withParameters(request.redirectUri, { code, state: request.state, iss: issuer });
}

/** Checks whether the client may still make its request. While the person signed in, it may have lost a redirect URI. */
function mayStillAsk(client: Client, { redirectUri }: AuthorizationRequest, { policy }: RequestInstance): boolean {
  return isAccepted(client, policy.settings) && matchesRegistered(redirectUri, client.redirectUris);
}

async function keyOf(instanceId: number, handle: string, browser: string): Promise<PendingKey> {
  return { instanceId, handleHash: await hashToken(handle), browserHash: await hashToken(browser) };
}

/** Makes a refusal that the app's developer reads, so its text is always English. */
function denial(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError("access_denied", { reason, description });
}

const notForPerson = () =>
  denial(
    "app_not_for_person",
    "The organisation does not let this person use the app: its administrators decide which groups may",
  );

/** The refusal of an app that waits for approval. */
const unapproved = () =>
  denial("client_pending", "This app waits for your organisation's approval: ask your administrator, then try again");

function gone(reason: "consent_request_gone" | "csrf_token_wrong" = "consent_request_gone"): OAuthError {
  return new OAuthError("invalid_request", {
    reason,
    description:
      "This request has expired, was answered already, or was begun in another browser: start again in the app",
  });
}
