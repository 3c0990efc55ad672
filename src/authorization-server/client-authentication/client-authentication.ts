import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { type ClientCredentials, proofOfSecret } from "#clients/client.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { OAuthError } from "#protocol/errors.ts";
import { decode, type Parameters } from "#protocol/parameters.ts";

/** The type of client assertions (RFC 7523 §2.2). */
const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** A request that a client makes in its own name. */
export interface ClientRequest {
  readonly parameters: Parameters;
  /** The Authorization header. */
  readonly authorization: string | undefined;
  readonly waitUntil: WaitUntil;
  /** Called before work for a client for which nobody vouches, such as a fetch from an address of its choice. May refuse it. */
  readonly beforeStranger: () => Promise<void>;
}

/** Checks whether a request contains client credentials, valid or not. */
export function presentsCredentials({ parameters, authorization }: ClientRequest): boolean {
  const members = ["client_secret", "client_assertion", "client_assertion_type"];
  return authorization !== undefined || members.some((name) => parameters.one(name) !== undefined);
}

/**
 * Reads the client's id and credentials from the Authorization header or the body. An assertion is verified and spent here. A
 * secret is only hashed: the statement that carries out the request compares it.
 *
 * @throws {OAuthError} `invalid_request` if two methods are used, because a proxy and this server could believe different ones,
 *   or if the body is empty; `invalid_client` if no client is named or its assertion is invalid
 */
export async function readCredentials(
  { clientAssertions }: Pick<OAuthServices, "clientAssertions">,
  { issuer, policy }: RequestInstance,
  request: ClientRequest,
): Promise<ClientCredentials> {
  const { parameters, authorization, waitUntil, beforeStranger } = request;
  const clientId = parameters.one("client_id");
  const secret = parameters.one("client_secret");
  const assertion = readAssertion(parameters);
  const basic = authorization === undefined ? undefined : parseBasic(authorization);
  const isOtherClient = basic !== undefined && clientId !== undefined && clientId !== basic.clientId;
  if ([basic, secret, assertion].filter((method) => method !== undefined).length > 1 || isOtherClient) {
    throw new OAuthError("invalid_request", {
      reason: "two_authentication_methods",
      description:
        "Authenticate the client by one method: in the Authorization header, by a secret, or by an assertion",
    });
  }
  if (assertion !== undefined) {
    const audiences = [issuer, issuer + ENDPOINTS.token, issuer + ENDPOINTS.pushedRequest];
    const { instanceId } = policy;
    return clientAssertions.verify(assertion, clientId, { instanceId, audiences, waitUntil, beforeStranger });
  }
  const id = basic?.clientId ?? clientId;
  if (id === undefined) throw unnamed(parameters);
  const presented = basic?.secret ?? secret ?? "";
  return { clientId: id, proof: presented === "" ? null : await proofOfSecret(presented) };
}

/**
 * Authenticates a client for a request in which no later statement compares the credentials.
 *
 * @throws what {@link readCredentials} throws; {OAuthError} `invalid_client` for wrong credentials
 */
export async function requireAuthentic(
  services: Pick<OAuthServices, "clientAssertions" | "tokenGrants">,
  instance: RequestInstance,
  request: ClientRequest,
): Promise<ClientCredentials> {
  const credentials = await readCredentials(services, instance, request);
  if (await services.tokenGrants.isAuthentic(instance.policy.instanceId, credentials)) return credentials;
  throw new OAuthError("invalid_client", { reason: "client_not_authenticated" });
}

/**
 * Reads the rest of a request, which may be malformed. If reading it fails, a client that sent credentials is authenticated
 * before it gets the error: a wrong secret always gets `invalid_client`, and somebody who knows only the client's id learns
 * nothing more. A well-formed request costs nothing extra, because its own statement compares the credentials.
 *
 * @throws what `read` throws, or {OAuthError} `invalid_client` in its place
 */
export async function judging<Read>(
  { tokenGrants }: Pick<OAuthServices, "tokenGrants">,
  { policy }: RequestInstance,
  credentials: ClientCredentials,
  read: () => Read | Promise<Read>,
): Promise<Read> {
  try {
    return await read();
  } catch (refusal) {
    const isWrong = credentials.proof !== null && !(await tokenGrants.isAuthentic(policy.instanceId, credentials));
    throw isWrong ? new OAuthError("invalid_client", { reason: "client_not_authenticated" }) : refusal;
  }
}

/**
 * Makes the refusal of a request that names no client. If the body is empty, its parameters were lost on the way: the error must
 * not lead its sender to conclude that it has to register again.
 */
function unnamed(parameters: Parameters): OAuthError {
  const isEmpty = [...parameters.names()].length === 0;
  return new OAuthError(isEmpty ? "invalid_request" : "invalid_client", { reason: "client_id_missing" });
}

/** @throws {OAuthError} `invalid_request` for an assertion of another type, or if only one of the two parameters was sent */
function readAssertion(parameters: Parameters): string | undefined {
  const assertion = parameters.one("client_assertion");
  const type = parameters.one("client_assertion_type");
  if (assertion === undefined && type === undefined) return undefined;
  if (assertion !== undefined && type === ASSERTION_TYPE) return assertion;
  throw new OAuthError("invalid_request", {
    reason: "client_assertion_type_unknown",
    description: `Send client_assertion together with client_assertion_type=${ASSERTION_TYPE}`,
  });
}

/**
 * Parses Basic credentials, whose two parts are form-encoded (RFC 6749 §2.3.1).
 *
 * @throws {OAuthError} `invalid_client` for any other Authorization header
 */
function parseBasic(authorization: string): { clientId: string; secret: string } {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization.trim())?.[1];
  const refusal = new OAuthError("invalid_client", {
    reason: "basic_credentials_malformed",
    description: "The Authorization header has no Basic credentials",
  });
  if (encoded === undefined) throw refusal;
  let decoded: string;
  try {
    decoded = atob(encoded);
  } catch {
    throw refusal;
  }
  const colon = decoded.indexOf(":");
  if (colon < 1) throw refusal;
  return { clientId: decode(decoded.slice(0, colon)), secret: decode(decoded.slice(colon + 1)) };
}
