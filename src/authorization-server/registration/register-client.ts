import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { hashToken, randomId, randomSecret } from "#crypto/secrets.ts";
import { type Client, type ClientDescription, hasSecret, type NewClient, proofOf } from "#clients/client.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { isOfOrigin } from "#protocol/redirect-uri.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { OAuthError } from "#protocol/errors.ts";
import { registeredScopes } from "#protocol/scopes.ts";
import { type ClientMetadata, parseClientMetadata } from "#clients/client-metadata.ts";
import { type AppIdentity, identityOf } from "#clients/app-identity.ts";
import { admit } from "#clients/registration-policy.ts";
import { epochSeconds } from "#platform/clock.ts";

/** When to retry. Unused registrations make room once they are an hour old, so places become free all the time. */
const RETRY_SECONDS = 600;

/**
 * The most attempts to update a registration. An administrator's decision at the same moment wins, and the update is tried again;
 * a second decision in the same moment is not expected.
 */
const ATTEMPTS_MAX = 3;

/** The result of a registration request. The secret is shown once, and the registration token only to its bearer. */
export interface RegistrationAnswer {
  readonly client: ClientDescription & Pick<Client, "id">;
  readonly createdAt: number;
  readonly secret?: string | undefined;
  readonly registrationToken?: string | undefined;
  /** In the spelling of the request. */
  readonly scope: readonly string[];
  readonly applicationType?: "native" | "web" | undefined;
}

/**
 * Registers a client (RFC 7591). Some hosts register at every start. Each registration gets its own id and registration token, because a
 * client that only repeats a registration must not be able to manage another's (docs/decisions/0003-repeated-registration.md).
 *
 * @param body the JSON of the request, not yet validated
 * @param caller the network that the request came from, if known
 * @throws {OAuthError} `registration_not_enabled`, `invalid_redirect_uri`, `invalid_client_metadata`, or `slow_down` if the
 *   caller or the instance has too many registrations that nobody has used
 */
export async function register(
  { registrations }: Pick<OAuthServices, "registrations">,
  { issuer, policy }: RequestInstance,
  body: unknown,
  caller: string | undefined,
): Promise<RegistrationAnswer> {
  const { described, identity, isPending } = await describe(policy, issuer, body);
  const { applicationType, scope } = described;
  const secret = hasSecret(described) ? randomSecret() : undefined;
  const registrationToken = randomSecret();
  const client: NewClient = {
    ...described,
    ...identity,
    id: randomId(),
    kind: "dynamic",
    requirements: [],
    mayExchangeTokens: false,
    isPending,
    proof: await proofOf(described.keys, secret),
    registrationTokenHash: await hashToken(registrationToken),
    caller: caller ?? null,
    createdAt: epochSeconds(),
  };
  const addition = await registrations.add(policy.instanceId, client);
  if (addition === "unwelcome") throw unwelcome();
  if (addition === "full") {
    throw new OAuthError("slow_down", { reason: "registrations_unused_too_many", retryAfterSeconds: RETRY_SECONDS });
  }
  return { client, createdAt: client.createdAt, secret, registrationToken, applicationType, scope };
}

/** Returns a registration. @throws {OAuthError} `invalid_registration_token` */
export async function readRegistration(
  services: OAuthServices,
  policy: PolicySnapshot,
  clientId: string,
  token: string | undefined,
): Promise<RegistrationAnswer> {
  const client = await requireManaged(services, policy, clientId, token);
  return { client, createdAt: client.createdAt, registrationToken: token, scope: registeredScopes(client.scopes) };
}

/**
 * Replaces a registration (RFC 7592 §2.2). All rules for registrations apply again.
 *
 * @throws {OAuthError} as {@link register}, and `invalid_registration_token`
 */
export async function updateRegistration(
  services: OAuthServices,
  { issuer, policy }: RequestInstance,
  clientId: string,
  token: string | undefined,
  body: unknown,
): Promise<RegistrationAnswer> {
  const { policySnapshots, registrations } = services;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const current = await requireManaged(services, policy, clientId, token);
    const { described, identity, isPending } = await describe(policy, issuer, body);
    requireSameClient(current, described, body);
    const keepsApproval = identity.app === current.app && isWithin(described, current);
    // An administrator approved the client as it was: its name, redirect URIs and scopes. Anything else must be reviewed again.
    const isSeen = current.isApproved ? keepsApproval : isSameDestination(described, current);
    const change = { ...described, ...identity, isPending, isSeen, keepsApproval };
    if (!(await registrations.replace(policy.instanceId, current, change, epochSeconds()))) {
      if (!(await registrations.isWelcome(policy.instanceId, change))) throw unwelcome();
      if (await registrations.isOtherApp(policy.instanceId, clientId, change.app)) throw otherApp();
    }
    policySnapshots.expire(policy.name);
    const { scope, applicationType } = described;
    const client = { ...described, id: clientId };
    return { client, createdAt: current.createdAt, registrationToken: token, scope, applicationType };
  }
  throw new OAuthError("temporarily_unavailable", { reason: "registration_contended" });
}

/** Deletes a registration and everything that people granted it (RFC 7592 §2.3). @throws {OAuthError} `invalid_registration_token` */
export async function removeRegistration(
  services: OAuthServices,
  policy: PolicySnapshot,
  clientId: string,
  token: string | undefined,
): Promise<void> {
  const { policySnapshots, registrations } = services;
  await requireManaged(services, policy, clientId, token);
  await registrations.remove(policy.instanceId, clientId, clientId, epochSeconds());
  policySnapshots.expire(policy.name);
}

async function requireManaged(
  { registrations }: OAuthServices,
  policy: PolicySnapshot,
  clientId: string,
  token: string | undefined,
): Promise<Client> {
  const found =
    token === undefined ? null : await registrations.findManaged(policy.instanceId, clientId, await hashToken(token));
  if (found && !found.isDisabled) return found;
  throw new OAuthError("invalid_registration_token", {
    reason: found ? "client_disabled" : "registration_token_wrong",
  });
}

/**
 * Refuses an update that changes the client's id or how it authenticates, or that adds redirect URIs while an administrator reviews it.
 *
 * @throws {OAuthError} `invalid_client_metadata`, `invalid_redirect_uri`
 */
function requireSameClient(current: Client, described: ClientDescription, body: unknown): void {
  if ((body as { client_id?: unknown }).client_id !== current.id) {
    throw new OAuthError("invalid_client_metadata", {
      reason: "client_id_differs",
      description: "client_id is not acceptable: it must be the client's own",
    });
  }
  if (described.isPublic !== current.isPublic || hasSecret(described) !== hasSecret(current)) {
    throw new OAuthError("invalid_client_metadata", {
      reason: "metadata_authentication_changed",
      description: "token_endpoint_auth_method cannot change between none, a secret and keys: register a new client",
    });
  }
  if (current.isPending && !isSameDestination(described, current)) {
    throw new OAuthError("invalid_redirect_uri", {
      reason: "redirect_uris_under_approval",
      description: "An administrator is reviewing the redirect URIs: register a new client for others",
    });
  }
}

function isSameDestination(described: ClientDescription, current: ClientDescription): boolean {
  return described.redirectUris.every((uri) => current.redirectUris.includes(uri));
}

/** Checks whether the new metadata stays within the current: the same name and pages, nothing added and no requirement dropped. */
function isWithin(described: ClientDescription, current: ClientDescription): boolean {
  return (
    described.name === current.name &&
    described.clientUri === current.clientUri &&
    described.policyUri === current.policyUri &&
    described.tosUri === current.tosUri &&
    isSameDestination(described, current) &&
    described.scopes.every((scope) => current.scopes.includes(scope)) &&
    current.declaredRequirements.every((requirement) => described.declaredRequirements.includes(requirement))
  );
}

/** A client that has no id yet. */
const APPLICANT = { id: "", kind: "dynamic" } as const;

/** Refuses a client of an app that administrators denied or disabled. */
function unwelcome(): OAuthError {
  return new OAuthError("registration_not_enabled", {
    reason: "app_disabled",
    description: "Your organisation's administrators don't allow this app: ask them",
  });
}

/** Refuses to make another app of one that people have allowed. */
function otherApp(): OAuthError {
  return new OAuthError("invalid_client_metadata", {
    reason: "client_app_differs",
    description: "People have allowed this app: register a new client for another name, or for other redirect hosts",
  });
}

/** Validates the metadata that a registration asks for, and applies the instance's policy to it. */
async function describe(
  policy: PolicySnapshot,
  issuer: string,
  body: unknown,
): Promise<{ described: ClientMetadata; identity: AppIdentity; isPending: boolean }> {
  const { settings } = policy;
  if (settings.registration === "off") admit(settings, { ...APPLICANT, redirectUris: [] });
  const metadata = parseClientMetadata(body, APPLICANT, settings);
  // Cursor registers several redirect URIs at once. One of them is an address that a Gatehouse on the same computer may have.
  const ofApps = metadata.redirectUris.filter((uri) => !isOfOrigin(uri, issuer));
  if (ofApps.length === 0) {
    throw new OAuthError("invalid_redirect_uri", {
      reason: "redirect_uri_own",
      description: "The redirect URI leads back to this service: register your app's own redirect URI",
    });
  }
  const { redirectUris, isPending } = admit(settings, { ...APPLICANT, redirectUris: ofApps });
  if (metadata.keys === null && settings.appRequirements.includes("private_key_jwt")) {
    throw new OAuthError("invalid_client_metadata", {
      reason: "private_key_jwt_required",
      description: "token_endpoint_auth_method is not acceptable: this organisation requires private_key_jwt",
    });
  }
  const described = { ...metadata, redirectUris };
  return { described, isPending, identity: await identityOf(described) };
}
