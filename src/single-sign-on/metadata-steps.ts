import type { SingleSignOnConnection } from "#single-sign-on/connection.ts";
import { authenticationMethod } from "./openid-provider.ts";

/** One thing that a connection to an SSO needs. */
export interface CheckedStep {
  readonly title: string;
  /** `unsure`: the SSO does not say. */
  readonly outcome: "holds" | "fails" | "unsure";
  /** What was found, and what to mend. */
  readonly text: string;
}

/** What an SSO publishes about itself; anything may be in it. */
export type Metadata = Readonly<Record<string, unknown>>;

/** OpenID Connect Discovery §4.3: a document that names another issuer is another's. */
export function issuerStep({ issuer }: Metadata, wanted: string): CheckedStep {
  const title = "Issuer";
  if (issuer === wanted)
    return { title, outcome: "holds", text: "The document names the same issuer, character by character." };
  const named = typeof issuer === "string" ? issuer.slice(0, 300) : "no issuer";
  return {
    title,
    outcome: "fails",
    text: `The document names ${named}, not ${wanted}: enter what it names, last slash included.`,
  };
}

/** OpenID Connect Core §3.1: an authorization endpoint, a token endpoint, and `code`. */
export function flowStep(metadata: Metadata): CheckedStep {
  const title = "Code flow";
  for (const name of ["authorization_endpoint", "token_endpoint"]) {
    if (typeof metadata[name] !== "string") return { title, outcome: "fails", text: `The document has no ${name}.` };
  }
  const types = wordsOf(metadata["response_types_supported"]);
  if (!types) return { title, outcome: "unsure", text: "The document does not say whether it has the code flow." };
  return types.includes("code")
    ? { title, outcome: "holds", text: "The SSO has response_type code, an authorization and a token endpoint." }
    : { title, outcome: "fails", text: `The SSO has ${types.join(", ")} and not code: let it, or choose another SSO.` };
}

/** RFC 8414 §2, `code_challenge_methods_supported`. */
export function pkceStep(metadata: Metadata): CheckedStep {
  const title = "PKCE with S256";
  const methods = wordsOf(metadata["code_challenge_methods_supported"]);
  if (!methods) {
    return {
      title,
      outcome: "unsure",
      text: "The document does not name it. Many SSOs have it all the same, Entra among them.",
    };
  }
  return methods.includes("S256")
    ? { title, outcome: "holds", text: "The SSO names it." }
    : { title, outcome: "fails", text: "The SSO names other methods only; sign-ins send S256 and may be refused." };
}

export function authenticationStep(metadata: Metadata, order: SingleSignOnConnection): CheckedStep {
  const title = "How the secret is sent";
  const listed = methodsOf(metadata);
  const method = methodOf(metadata, order);
  return listed.includes(method)
    ? { title, outcome: "holds", text: `By ${method}, which the SSO takes.` }
    : { title, outcome: "fails", text: `By ${method}; the SSO takes ${listed.join(", ")}. Choose another way below.` };
}

export function scopesStep(metadata: Metadata, { scopes }: SingleSignOnConnection): CheckedStep {
  const title = "Scopes";
  const supported = wordsOf(metadata["scopes_supported"]);
  if (!supported) return { title, outcome: "unsure", text: "The document does not list its scopes." };
  const missing = scopes.split(/ +/).filter((scope) => !supported.includes(scope));
  return missing.length === 0
    ? { title, outcome: "holds", text: `The SSO lists all that are asked for: ${scopes}.` }
    : {
        title,
        outcome: "unsure",
        text: `The SSO does not list ${missing.join(", ")}. Where it then refuses sign-ins, leave that out.`,
      };
}

/** OpenID Connect Discovery §3: Basic where the document says nothing. */
function methodsOf(metadata: Metadata): readonly string[] {
  return wordsOf(metadata["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"];
}

/** The words of a list, as far as they are words: joined into a sentence, an object can throw. `undefined` for no list. */
function wordsOf(list: unknown): readonly string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  return list.filter((each): each is string => typeof each === "string" && each.length <= 100).slice(0, 50);
}

/** How the client secret is sent, chosen or by what is published. */
export function methodOf(metadata: Metadata, { clientAuthentication }: SingleSignOnConnection): string {
  return authenticationMethod(clientAuthentication, methodsOf(metadata));
}
