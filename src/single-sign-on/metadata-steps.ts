import type { SingleSignOnConnection } from "#single-sign-on/connection.ts";
import { failed, type Finding, ok, warning } from "#platform/finding.ts";
import { authenticationMethod } from "./openid-provider.ts";

/** An SSO's discovery document, unvalidated. */
export type Metadata = Readonly<Record<string, unknown>>;

const ANOTHER = "Allow it at the SSO, or choose another SSO.";

/** Checks that the document has this issuer (OpenID Connect Discovery §4.3). */
export function issuerStep({ issuer }: Metadata, wanted: string): Finding {
  const check = "Issuer";
  if (issuer === wanted) return ok(check, "The document has exactly this issuer.");
  const named = typeof issuer === "string" ? issuer.slice(0, 300) : "no issuer";
  return failed(
    check,
    `The document names ${named}, not ${wanted}.`,
    "Enter the issuer from the document, including any trailing slash.",
  );
}

/** Checks for an authorization endpoint, a token endpoint, and the response type `code` (OpenID Connect Core §3.1). */
export function flowStep(metadata: Metadata): Finding {
  const check = "Code flow";
  for (const name of ["authorization_endpoint", "token_endpoint"]) {
    if (typeof metadata[name] !== "string") return failed(check, `The document has no ${name}.`, ANOTHER);
  }
  const types = wordsOf(metadata["response_types_supported"]);
  if (!types) return warning(check, "The document doesn't say whether the SSO supports the code flow.");
  return types.includes("code")
    ? ok(check, "The SSO supports the code flow.")
    : failed(check, `The SSO supports ${types.join(", ")}, but not code.`, ANOTHER);
}

/** Checks `code_challenge_methods_supported` (RFC 8414 §2). */
export function pkceStep(metadata: Metadata): Finding {
  const check = "PKCE with S256";
  const methods = wordsOf(metadata["code_challenge_methods_supported"]);
  if (!methods) {
    return warning(check, "The document doesn't mention it. Many SSOs, such as Entra, support it anyway.");
  }
  return methods.includes("S256")
    ? ok(check, "The SSO supports it.")
    : failed(check, "The SSO lists only other methods. Sign-ins send S256 and may be refused.", ANOTHER);
}

export function authenticationStep(metadata: Metadata, order: SingleSignOnConnection): Finding {
  const check = "Client authentication";
  const listed = methodsOf(metadata);
  const method = methodOf(metadata, order);
  return listed.includes(method)
    ? ok(check, `By ${method}, which the SSO accepts.`)
    : failed(check, `By ${method}; the SSO accepts ${listed.join(", ")}.`, "Choose another method below.");
}

export function scopesStep(metadata: Metadata, { scopes }: SingleSignOnConnection): Finding {
  const check = "Scopes";
  const supported = wordsOf(metadata["scopes_supported"]);
  if (!supported) return warning(check, "The document does not list its scopes.");
  const missing = scopes.split(/ +/).filter((scope) => !supported.includes(scope));
  return missing.length === 0
    ? ok(check, `The SSO lists all requested scopes: ${scopes}.`)
    : warning(check, `The SSO does not list ${missing.join(", ")}.`, "If it refuses sign-ins, leave that out.");
}

/** Returns the listed client authentication methods. The default is Basic (OpenID Connect Discovery §3). */
function methodsOf(metadata: Metadata): readonly string[] {
  return wordsOf(metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
}

/**
 * Returns the short strings in a list; `undefined` if it isn't one. Other members are dropped: converting an object to text can
 * throw.
 */
function wordsOf(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.filter((each): each is string => typeof each === "string" && each.length <= 100).slice(0, 50);
}

/** Returns how the client secret is sent: as the administrator chose, or according to the document. */
export function methodOf(metadata: Metadata, { clientAuthentication }: SingleSignOnConnection): string {
  return authenticationMethod(clientAuthentication, methodsOf(metadata));
}
