import type { RefusalReason } from "./refusal-reasons.ts";

/**
 * The registry of refusals: every error that this service may send, with its status and the text that tells the caller what to
 * do. Rules throw refusals, and `app.onError` turns them into responses in one place.
 *
 * Each refusal has two texts. The public one goes to the caller. The `reason` is one stable word for our logs: it says which
 * check failed, and is never sent, because "the verifier was wrong" helps only an attacker who is guessing.
 */

interface Registered {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 413 | 415 | 422 | 429 | 500 | 503;
  readonly description: string;
}

/** Callers of the API and OAuth clients get the same sentence, because both need the same administrator. */
const NOT_ENABLED = "OAuth is not enabled for this instance: an administrator enables it in the admin console";

/** The same two errors in both roles, authorization server and resource server (RFC 9449 §5, §7.1, §8, §9). */
const INVALID_DPOP_PROOF = "The DPoP proof is invalid: make one for each request";
const USE_DPOP_NONCE = "Make the DPoP proof with the nonce of the DPoP-Nonce header";

/**
 * The errors of the authorization server: RFC 6749 §4.1.2.1 and §5.2, RFC 7591 §3.2.2, RFC 8707 §2, RFC 9449 §5, and
 * `oauth_not_enabled`, which is ours.
 */
const OAUTH_ERRORS = {
  invalid_request: { status: 400, description: "The request is malformed: check its parameters" },
  invalid_client: {
    status: 401,
    description: "Client authentication failed, or the client is unknown: register again",
  },
  invalid_grant: {
    status: 400,
    description:
      "The code or refresh token is invalid, expired, revoked, or belongs to another client: authorize again",
  },
  unauthorized_client: { status: 400, description: "This client can't use this grant type" },
  invalid_scope: { status: 400, description: "No requested scope is available to this client" },
  invalid_target: {
    status: 400,
    description: "The requested resource is unknown: use the one in the resource metadata",
  },
  invalid_dpop_proof: { status: 400, description: INVALID_DPOP_PROOF },
  use_dpop_nonce: { status: 400, description: USE_DPOP_NONCE },
  request_not_supported: { status: 400, description: "Send plain parameters, or push them first" },
  request_uri_not_supported: { status: 400, description: "Send plain parameters, or push them first" },
  invalid_request_uri: {
    status: 400,
    description: "The request of the app has expired, or was used before: start again in the app",
  },
  invalid_redirect_uri: { status: 400, description: "A redirect URI is invalid" },
  invalid_client_metadata: { status: 400, description: "The client metadata is invalid" },
  unsupported_grant_type: {
    status: 400,
    description: "Use a grant_type of the metadata's grant_types_supported",
  },
  unsupported_response_type: { status: 400, description: "Use response_type=code" },
  invalid_registration_token: {
    status: 401,
    description: "The registration access token is not valid for this client: register again",
  },
  access_denied: { status: 403, description: "The person or the organisation denied the request" },
  oauth_not_enabled: { status: 403, description: NOT_ENABLED },
  registration_not_enabled: {
    status: 403,
    description: "Dynamic client registration is off for this instance: ask an administrator to create a client",
  },
  login_required: { status: 400, description: "The person must sign in: authorize without prompt=none" },
  slow_down: { status: 429, description: "Too many requests: wait, then try again" },
  request_too_large: { status: 413, description: "The request is too large" },
  temporarily_unavailable: { status: 503, description: "The service is unavailable right now: try again shortly" },
  server_error: { status: 500, description: "An unexpected error occurred: quote the request id to support" },
} as const satisfies Record<string, Registered>;

/** The errors of the Client API and the Indexing API, and of the middleware around all routes. */
const API_ERRORS = {
  bad_request: { status: 400, description: "The request is malformed" },
  https_required: { status: 400, description: "Use https: plain http works only on loopback addresses" },
  unauthorized: { status: 401, description: "Send an access token in the Authorization header: Bearer <token>" },
  invalid_token: { status: 401, description: "The access token is invalid, expired or revoked: get a new one" },
  invalid_dpop_proof: { status: 401, description: INVALID_DPOP_PROOF },
  use_dpop_nonce: { status: 401, description: USE_DPOP_NONCE },
  invalid_secret: { status: 401, description: "Invalid secret: this is not a token issued by this service" },
  oauth_not_enabled: { status: 403, description: NOT_ENABLED },
  issuer_not_registered: {
    status: 403,
    description: "This identity provider's tokens are not enabled: ask an administrator to register its issuer",
  },
  client_not_registered: {
    status: 403,
    description:
      "The application that this token was issued to is not registered here: ask an administrator to add its client id to the issuer",
  },
  client_not_enabled: { status: 403, description: "This app is not enabled here: ask an administrator" },
  insufficient_scope: { status: 403, description: "The token lacks a scope that this call needs" },
  unknown_host: { status: 404, description: "There is no instance at this host name: check the URL" },
  not_found: { status: 404, description: "There is nothing at this address: check the URL" },
  method_not_allowed: { status: 405, description: "This address does not support that method" },
  conflict: { status: 409, description: "The request conflicts with stored data: see the message" },
  precondition_failed: {
    status: 412,
    description: "It has changed: read it again, then send the change with its new ETag",
  },
  request_too_large: { status: 413, description: "The request is too large" },
  unsupported_media_type: { status: 415, description: "Send the body as application/json" },
  unprocessable: { status: 422, description: "The request is well formed, but a value in it is invalid" },
  too_many_requests: { status: 429, description: "Too many requests: wait, then try again" },
  search_unavailable: { status: 503, description: "Search is unavailable right now: try again shortly" },
  temporarily_unavailable: { status: 503, description: "The service is unavailable right now: try again shortly" },
  server_error: { status: 500, description: "An unexpected error occurred: quote the requestId to support" },
} as const satisfies Record<string, Registered>;

/**
 * The errors of the Model Context Protocol: the codes of JSON-RPC 2.0 §5.1 and of the protocol (2026-07-28, Error Codes). The
 * HTTP status is for a message that was not understood; later errors mostly have the status 200 (`mcp/refused-call.ts`).
 */
const RPC_ERRORS = {
  parse_error: { rpcCode: -32700, status: 400, description: "The body is not JSON: send one JSON-RPC message" },
  invalid_request: { rpcCode: -32600, status: 400, description: "The body is not a JSON-RPC message of this protocol" },
  method_not_found: { rpcCode: -32601, status: 404, description: "This server has no such method" },
  invalid_params: { rpcCode: -32602, status: 400, description: "The parameters are invalid for this method" },
  header_mismatch: {
    rpcCode: -32020,
    status: 400,
    description: "A header is missing, or differs from the body",
  },
  unsupported_version: {
    rpcCode: -32022,
    status: 400,
    description: "This server does not support that protocol version",
  },
  origin_refused: { rpcCode: 403, status: 403, description: "Web pages from this origin can't call this server" },
} as const satisfies Record<string, Registered & { readonly rpcCode: number }>;

/** The `scimType` of a 400 or 409 response of SCIM (RFC 7644 §3.12). */
const SCIM_ERRORS = {
  invalidFilter: {
    status: 400,
    description: "The filter is malformed, or uses an attribute that can't be filtered by",
  },
  invalidPath: { status: 400, description: "The path of an operation is malformed" },
  invalidSyntax: { status: 400, description: "The body does not match what this call expects" },
  invalidValue: { status: 400, description: "A value is missing or invalid" },
  mutability: { status: 400, description: "The directory can't change this" },
  noTarget: { status: 400, description: "The path of an operation selects nothing" },
  tooMany: { status: 400, description: "The request asks for too much at once: send it in parts" },
  uniqueness: { status: 409, description: "Another resource has this value already" },
} as const satisfies Record<string, Registered>;

/** The errors of a receiver of security events (RFC 8935 §2.4). */
const SECURITY_EVENT_ERRORS = {
  invalid_request: { status: 400, description: "The body is not a readable security event token" },
  invalid_key: { status: 400, description: "The key or the signature of the token is not acceptable" },
  invalid_issuer: { status: 400, description: "The issuer of the token may not send events here" },
  invalid_audience: { status: 400, description: "The token is for another receiver" },
  authentication_failed: { status: 400, description: "The transmitter could not be authenticated" },
} as const satisfies Record<string, Registered>;

export type OAuthErrorCode = keyof typeof OAUTH_ERRORS;
export type ApiErrorCode = keyof typeof API_ERRORS;
export type ScimErrorCode = keyof typeof SCIM_ERRORS;
/** The problem with a message, in the words of RFC 8935 §2.4. */
export type SecurityEventErrorCode = keyof typeof SECURITY_EVENT_ERRORS;
type RpcErrorCode = keyof typeof RPC_ERRORS;

/** The codes of API errors by status, for the description of the APIs. */
export const API_ERROR_CODES: ReadonlyMap<number, readonly ApiErrorCode[]> = Map.groupBy(
  Object.keys(API_ERRORS) as ApiErrorCode[],
  (code) => API_ERRORS[code].status,
);

/** The app's connection that a request is part of, for our own records. The grant is proven; without it, the app may only be claimed. */
export interface Connection {
  readonly clientId?: string | undefined;
  readonly grantId?: string | undefined;
  /** The person who has authenticated themselves. */
  readonly personId?: string | undefined;
  readonly isRefresh?: boolean;
}

export interface RefusalOptions {
  /** Which check failed. For logs and counts; never sent. */
  readonly reason: RefusalReason;
  /** What the check failed on, such as the name of a parameter. For logs, so it must be one short line without secrets. */
  readonly about?: string;
  /** Public text for this case, which says what to do more precisely than the registry's. */
  readonly description?: string;
  /** The member or parameter that is wrong. Sent to callers of the APIs. */
  readonly field?: string | undefined;
  /** Seconds after which a retry makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The scopes of a token that would pass, if the challenge has to name others than the route's own. */
  readonly scopes?: readonly string[];
  readonly cause?: unknown;
  /** The connection that the request is part of. */
  readonly connection?: Connection;
}

/** The most characters of a description. It may repeat what a caller sent, such as a name of megabytes, and is stored with uploads. */
const DESCRIPTION_LENGTH_MAX = 2000;

function shortened(text: string): string {
  return text.length <= DESCRIPTION_LENGTH_MAX ? text : `${text.slice(0, DESCRIPTION_LENGTH_MAX).toWellFormed()}…`;
}

/** The base of all refusals: a status, a public text and a private reason. */
export abstract class Refusal<Code extends string = string> extends Error {
  readonly code: Code;
  readonly status: Registered["status"];
  readonly description: string;
  readonly reason: RefusalReason;
  readonly about: string | undefined;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly scopes: readonly string[] | undefined;
  connection: Connection | undefined;

  constructor(errors: Readonly<Record<Code, Registered>>, code: Code, options: RefusalOptions) {
    super(options.reason, { cause: options.cause });
    const registered = errors[code];
    this.code = code;
    this.status = registered.status;
    this.description = shortened(options.description ?? registered.description);
    this.reason = options.reason;
    this.about = options.about;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.scopes = options.scopes;
    this.connection = options.connection;
  }
}

/** Runs work for a known connection, and adds the connection to any refusal that the work throws. */
export async function ofConnection<Result>(connection: Connection, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) error.connection = { ...connection, ...error.connection };
    throw error;
  }
}

/** A refusal in OAuth's own form: `{ error, error_description }`, a redirect, or a page. */
export class OAuthError extends Refusal<OAuthErrorCode> {
  override readonly name = "OAuthError";

  constructor(code: OAuthErrorCode, options: RefusalOptions) {
    super(OAUTH_ERRORS, code, options);
  }
}

/** A refusal in the APIs' form: `{ error, message, requestId }`, with a challenge on 401 and 403. */
export class ApiError extends Refusal<ApiErrorCode> {
  override readonly name = "ApiError";

  constructor(code: ApiErrorCode, options: RefusalOptions) {
    super(API_ERRORS, code, options);
  }
}

/** A refusal of SCIM that has a `scimType`. Other refusals of SCIM are API errors in SCIM's form. */
export class ScimError extends Refusal<ScimErrorCode> {
  override readonly name = "ScimError";

  constructor(code: ScimErrorCode, options: RefusalOptions) {
    super(SCIM_ERRORS, code, options);
  }
}

/** A refusal of a security event: `{ err, description }` (RFC 8935 §2.3). */
export class SecurityEventError extends Refusal<SecurityEventErrorCode> {
  override readonly name = "SecurityEventError";

  constructor(code: SecurityEventErrorCode, options: RefusalOptions) {
    super(SECURITY_EVENT_ERRORS, code, options);
  }
}

/** A refusal in the form of the Model Context Protocol: a JSON-RPC error. */
export class RpcError extends Refusal<RpcErrorCode> {
  override readonly name = "RpcError";
  readonly rpcCode: number;
  /** The `data` of the JSON-RPC error, in addition to its text. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: RpcErrorCode, options: RefusalOptions & { readonly data?: Readonly<Record<string, unknown>> }) {
    super(RPC_ERRORS, code, options);
    this.rpcCode = RPC_ERRORS[code].rpcCode;
    this.data = options.data;
  }
}
