import { OAuthError } from "#protocol/errors.ts";
import { requireRedirectUri } from "#protocol/redirect-uri.ts";
import { narrowScopes, opensAnApi, type Scope } from "#protocol/scopes.ts";
import * as v from "valibot";
import { AUTHENTICATION_METHODS, type AuthenticationMethod } from "./client.ts";

/** Real hosts list up to a dozen; each one is another way for a code to leave. */
export const REDIRECT_URIS_MAX = 20;

export const NAME_CHARACTERS_MAX = 100;

/** The members of RFC 7591 §2 that this server knows. All others are ignored, as the RFC has it. */
const wireSchema = v.object({
  redirect_uris: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(REDIRECT_URIS_MAX)),
  token_endpoint_auth_method: v.optional(v.picklist(AUTHENTICATION_METHODS), "client_secret_basic"),
  grant_types: v.optional(v.pipe(v.array(v.string()), v.includes("authorization_code")), ["authorization_code"]),
  response_types: v.optional(v.pipe(v.array(v.string()), v.includes("code")), ["code"]),
  application_type: v.optional(v.picklist(["native", "web"])),
  client_name: v.optional(v.string()),
  client_uri: v.optional(v.string()),
  scope: v.optional(v.string()),
});

/** Client metadata that was checked. */
export interface ClientMetadata {
  readonly redirectUris: readonly string[];
  readonly tokenEndpointAuthMethod: AuthenticationMethod;
  readonly applicationType: "native" | "web" | undefined;
  readonly name: string;
  readonly clientUri: string | null;
  /** The granted scopes, in the spelling that was asked for. */
  readonly scope: readonly string[];
}

/**
 * Checks what a client says of itself (RFC 7591 §2).
 *
 * Scopes are narrowed to the instance's set and echoed, never refused while one is left: a host cannot know the set before it
 * registers.
 *
 * @throws {OAuthError} `invalid_redirect_uri` or `invalid_client_metadata`, naming the member that is wrong
 */
export function parseClientMetadata(body: unknown, dynamicScopes: readonly Scope[]): ClientMetadata {
  const parsed = v.safeParse(wireSchema, body, { abortEarly: true });
  if (!parsed.success) {
    const member = (v.getDotPath(parsed.issues[0]) ?? "body").split(".")[0] ?? "body";
    throw new OAuthError(member === "redirect_uris" ? "invalid_redirect_uri" : "invalid_client_metadata", {
      reason: `metadata_${member}`,
      description: `${member} is not acceptable: ${expectation(member)}`,
    });
  }
  const metadata = parsed.output;
  for (const uri of metadata.redirect_uris) requireRedirectUri(uri);
  const scope = narrowScopes(metadata.scope || dynamicScopes.join(" "), dynamicScopes);
  if (!opensAnApi(scope)) {
    throw new OAuthError("invalid_client_metadata", {
      reason: "metadata_scope_empty",
      description: `scope names nothing that a registered client may have here: leave it out, or use ${dynamicScopes.join(" ")}`,
    });
  }
  return {
    redirectUris: [...new Set(metadata.redirect_uris)],
    tokenEndpointAuthMethod: metadata.token_endpoint_auth_method,
    applicationType: metadata.application_type,
    name: displayName(metadata.client_name) ?? destinationName(metadata.redirect_uris),
    clientUri: webPage(metadata.client_uri),
    scope,
  };
}

/**
 * A name as a consent page may show it: one line, without characters that hide, reverse or imitate text around it.
 *
 * @returns `undefined` when nothing is left
 */
export function displayName(name: string | undefined): string | undefined {
  const visible = (name ?? "")
    .normalize("NFC")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, "")
    .replace(/\s+/g, " ")
    .trim();
  return visible === "" ? undefined : Array.from(visible).slice(0, NAME_CHARACTERS_MAX).join("");
}

function destinationName(redirectUris: readonly string[]): string {
  return `Unnamed app (${new URL(redirectUris[0] ?? "unknown:").host || "on this device"})`;
}

/** A page about the client, if it is one that a link may lead to. */
function webPage(uri: string | undefined): string | null {
  if (uri === undefined || uri.length > 500 || !URL.canParse(uri)) return null;
  const url = new URL(uri);
  return url.protocol === "https:" && url.username === "" && url.password === "" ? url.href : null;
}

function expectation(member: string): string {
  switch (member) {
    case "redirect_uris":
      return `an array of 1 to ${REDIRECT_URIS_MAX} URIs`;
    case "token_endpoint_auth_method":
      return `one of ${AUTHENTICATION_METHODS.join(", ")}`;
    case "grant_types":
      return "an array with authorization_code";
    case "response_types":
      return "an array with code";
    case "application_type":
      return "native or web";
    case "body":
      return "one JSON object";
    default:
      return "a string";
  }
}
