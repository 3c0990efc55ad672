import type { AppRequirement } from "#protocol/app-requirements.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { Settings } from "#settings/settings.ts";
import { type Client, type ClientProof, isOfKeys } from "./client.ts";

/** Everything required of a client: by its instance, by its administrators and by its own metadata. */
export function requirementsOf(
  { requirements, declaredRequirements }: Pick<Client, "requirements" | "declaredRequirements">,
  { appRequirements }: Pick<Settings, "appRequirements">,
): readonly AppRequirement[] {
  return [...appRequirements, ...requirements, ...declaredRequirements];
}

/**
 * Finds a requirement of the client that a token request doesn't meet (RFC 9449 §5.2).
 *
 * @param keyThumbprint the key that the tokens will be bound to
 * @param proof what authenticates the client
 * @returns `invalid_dpop_proof`, `unauthorized_client`, or `undefined` if all are met
 */
export function unmetRequirement(
  required: readonly AppRequirement[],
  keyThumbprint: string | undefined,
  proof: ClientProof | null,
): OAuthError | undefined {
  if (required.includes("private_key_jwt") && !isOfKeys(proof)) return withoutKeys();
  if (!required.includes("dpop") || keyThumbprint !== undefined) return undefined;
  return new OAuthError("invalid_dpop_proof", {
    reason: "dpop_required",
    description: "This app's tokens must be bound to a key: send a DPoP proof with the token request",
  });
}

/** Refuses a token request that doesn't meet a requirement. @throws {OAuthError} what {@link unmetRequirement} returns */
export function requireMet(...request: Parameters<typeof unmetRequirement>): void {
  const unmet = unmetRequirement(...request);
  if (unmet) throw unmet;
}

/** @throws {OAuthError} `unauthorized_client` if the client must authenticate with a key and didn't */
export function requireKeyUsed(required: readonly AppRequirement[], proof: ClientProof | null): void {
  if (required.includes("private_key_jwt") && !isOfKeys(proof)) throw withoutKeys();
}

/** Refuses a client that could not get tokens, before the person signs in. @throws {OAuthError} `unauthorized_client` */
export function requireAuthorizable(client: Client, settings: Settings): void {
  if (client.keys === null && requirementsOf(client, settings).includes("private_key_jwt")) throw withoutKeys();
}

/** Checks whether a client can ask for access only with requests that it pushes. */
export function mustPush(client: Client, settings: Settings): boolean {
  return requirementsOf(client, settings).includes("par");
}

/**
 * Refuses a request that was not pushed if the client must push its requests (RFC 9126 §5, §6).
 *
 * @throws {OAuthError} `invalid_request`
 */
export function requirePushed(client: Client, settings: Settings): void {
  if (!mustPush(client, settings)) return;
  throw new OAuthError("invalid_request", {
    reason: "pushed_request_required",
    description: "This app must push its authorization requests (RFC 9126): see pushed_authorization_request_endpoint",
  });
}

function withoutKeys(): OAuthError {
  return new OAuthError("unauthorized_client", {
    reason: "private_key_jwt_required",
    description: "This app must authenticate itself with a key: register it with private_key_jwt",
  });
}
