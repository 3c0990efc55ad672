import { displayName } from "#protocol/display-name.ts";
import { OAuthError } from "#protocol/errors.ts";
import { statedMembers } from "#protocol/json-object.ts";
import { requireRedirectUri } from "#protocol/redirect-uri.ts";
import { narrowScopes, opensAnApi, opensAnything, parseScopes, SCOPES, registeredScopes } from "#protocol/scopes.ts";
import * as v from "valibot";
import type { Settings } from "#settings/settings.ts";
import { allowedScopes } from "./allowed-scopes.ts";
import {
  AUTHENTICATION_METHODS,
  type AuthenticationMethod,
  type Client,
  type ClientAuthenticationMetadata,
  type ClientDescription,
} from "./client.ts";
import { parseClientKeys } from "./client-keys.ts";

/** The most redirect URIs of a client. Real hosts list up to a dozen; each one is another way for a code to leak. */
export const REDIRECT_URIS_MAX = 20;

/** Maximum length of all redirect URIs of a client together. Anybody may register, so there is a limit on what each client may store. */
const REDIRECT_URIS_CHARACTERS_MAX = 4096;

/** The members of RFC 7591 §2 that this server knows. All others are ignored, as the RFC requires. */
const wireSchema = v.object({
  redirect_uris: v.pipe(
    v.array(v.string()),
    v.minLength(1),
    v.maxLength(REDIRECT_URIS_MAX),
    v.check((uris) => uris.join("").length <= REDIRECT_URIS_CHARACTERS_MAX),
  ),
  token_endpoint_auth_method: v.optional(v.picklist(AUTHENTICATION_METHODS)),
  token_endpoint_auth_methods_supported: v.optional(v.unknown()),
  grant_types: v.optional(v.pipe(v.array(v.string()), v.includes("authorization_code")), ["authorization_code"]),
  response_types: v.optional(v.pipe(v.array(v.string()), v.includes("code")), ["code"]),
  application_type: v.optional(v.picklist(["native", "web"])),
  client_name: v.optional(v.string()),
  client_uri: v.optional(v.string()),
  policy_uri: v.optional(v.string()),
  tos_uri: v.optional(v.string()),
  scope: v.optional(v.string()),
  jwks_uri: v.optional(v.unknown()),
  jwks: v.optional(v.unknown()),
  dpop_bound_access_tokens: v.optional(v.boolean(), false),
  require_pushed_authorization_requests: v.optional(v.boolean(), false),
});

/** The names of these members. */
export const METADATA_MEMBERS = Object.keys(wireSchema.entries);

/** Validated client metadata. */
export interface ClientMetadata extends ClientDescription {
  readonly applicationType: "native" | "web" | undefined;
  /** The name exactly as it was sent; empty if there was none. */
  readonly sentName: string;
  /** The scopes that it gets, in the spelling of the request. It may ask for all there are (`scopes`) if it named none of an API. */
  readonly scope: readonly string[];
}

/**
 * Validates what a client says about itself (RFC 7591 §2).
 *
 * Scopes are narrowed to the instance's set and returned, because a host cannot know the set before it registers. A list that
 * names no API of this server was written for other servers, out of habit or in a document for several of them: it counts as
 * absent, because nobody could use an app that may ask for nothing. The list is refused only if it names an API of this server
 * and none of these is available.
 *
 * @throws {OAuthError} `invalid_redirect_uri` or `invalid_client_metadata`, naming the member that is wrong
 */
export function parseClientMetadata(
  body: unknown,
  client: Pick<Client, "id" | "kind">,
  settings: Settings,
): ClientMetadata {
  const parsed = v.safeParse(wireSchema, statedMembers(body), { abortEarly: true });
  if (!parsed.success) {
    const member = (v.getDotPath(parsed.issues[0]) ?? "body").split(".")[0] ?? "body";
    throw new OAuthError(member === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata", {
      reason: "client_metadata_unacceptable",
      about: member,
      description: `${member} is not acceptable: ${EXPECTED[member] ?? "a string"}`,
    });
  }
  const metadata = parsed.output;
  for (const uri of metadata.redirect_uris) requireRedirectUri(uri);
  const redirectUris = [...new Set(metadata.redirect_uris)];
  const allowed = allowedScopes({ ...client, redirectUris, scopes: SCOPES }, settings);
  const named = opensAnApi(metadata.scope?.split(" ") ?? []) ? metadata.scope : undefined;
  const scope = narrowScopes(named ?? registeredScopes(allowed).join(" "), allowed);
  if (!opensAnything(scope)) {
    throw new OAuthError("invalid_client_metadata", {
      reason: "metadata_scope_empty",
      description: `scope has no value that a registered client can have: leave it out, or use ${allowed.join(" ")}`,
    });
  }
  return {
    redirectUris,
    ...authenticationOf(metadata),
    declaredRequirements: [
      ...(metadata.require_pushed_authorization_requests ? (["par"] as const) : []),
      ...(metadata.dpop_bound_access_tokens ? (["dpop"] as const) : []),
    ],
    applicationType: metadata.application_type,
    name: displayName(metadata.client_name) ?? destinationName(metadata.redirect_uris),
    sentName: metadata.client_name ?? "",
    clientUri: webPage(metadata.client_uri),
    policyUri: webPage(metadata.policy_uri),
    tosUri: webPage(metadata.tos_uri),
    scope,
    scopes: named === undefined ? allowed : parseScopes(scope.join(" ")),
  };
}

/**
 * Returns how the client authenticates. Keys are stored only for `private_key_jwt`: other methods don't use them here.
 *
 * @throws {OAuthError} `invalid_client_metadata`
 */
function authenticationOf(metadata: v.InferOutput<typeof wireSchema>): ClientAuthenticationMetadata {
  const method = metadata.token_endpoint_auth_method ?? listedMethod(metadata);
  if (method !== "private_key_jwt") {
    return { tokenEndpointAuthMethod: method, isPublic: method === "none", keys: null };
  }
  const keys = parseClientKeys(metadata);
  if (keys) return { tokenEndpointAuthMethod: method, isPublic: false, keys };
  throw new OAuthError("invalid_client_metadata", {
    reason: "metadata_keys_missing",
    description: "jwks_uri is missing: private_key_jwt needs jwks_uri, or jwks",
  });
}

/**
 * Returns the method of a client that only lists those that it supports, as hosts write it for several servers: a signature if it
 * sends its keys, or else the first that this server has. RFC 7591 §2 has a default only for a client that says nothing.
 *
 * @throws {OAuthError} `invalid_client_metadata` if it lists none that it can use here
 */
function listedMethod(metadata: v.InferOutput<typeof wireSchema>): AuthenticationMethod {
  const listed = metadata.token_endpoint_auth_methods_supported;
  if (!Array.isArray(listed) || listed.length === 0) return "client_secret_basic";
  const hasKeys = metadata.jwks_uri !== undefined || metadata.jwks !== undefined;
  const usable = AUTHENTICATION_METHODS.filter((method) => method !== "private_key_jwt" || hasKeys);
  const method =
    hasKeys && listed.includes("private_key_jwt") ? "private_key_jwt" : listed.find((one) => usable.includes(one));
  if (method) return method;
  throw new OAuthError("invalid_client_metadata", {
    reason: "client_metadata_unacceptable",
    about: "token_endpoint_auth_methods_supported",
    description: `token_endpoint_auth_methods_supported lists none of ${usable.join(", ")}`,
  });
}

function destinationName(redirectUris: readonly string[]): string {
  return `Unnamed app (${new URL(redirectUris[0] ?? "unknown:").host || "on this device"})`;
}

/** Returns the URL of a page about the client, if a link may lead there. */
function webPage(uri: string | undefined): string | null {
  if (uri === undefined || uri.length > 500 || !URL.canParse(uri)) return null;
  const url = new URL(uri);
  return url.protocol === "https:" && url.username === "" && url.password === "" ? url.href : null;
}

/** What a member has to be, unless it is a string. */
const EXPECTED: Readonly<Record<string, string>> = {
  redirect_uris: `an array of 1 to ${REDIRECT_URIS_MAX} URIs, of at most ${REDIRECT_URIS_CHARACTERS_MAX} characters together`,
  token_endpoint_auth_method: `one of ${AUTHENTICATION_METHODS.join(", ")}`,
  grant_types: "an array with authorization_code",
  response_types: "an array with code",
  dpop_bound_access_tokens: "true or false",
  require_pushed_authorization_requests: "true or false",
  application_type: "native or web",
  body: "one JSON object",
};
