import { sha256 } from "#crypto/secrets.ts";
import { OAuthError } from "#protocol/errors.ts";

/** The form of a code verifier (RFC 7636 §4.1). */
const CODE_VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

/**
 * Returns the S256 challenge that a verifier belongs to (RFC 7636 §4.6). The store compares it in the statement that claims the
 * code, so a wrong verifier leaves the code to the client that has the right one.
 *
 * @throws {OAuthError} `invalid_grant` if the verifier is missing or malformed; a missing verifier fails exactly like a wrong one
 */
export async function challengeOf(codeVerifier: string | undefined): Promise<string> {
  if (codeVerifier === undefined) throw new OAuthError("invalid_grant", { reason: "code_verifier_missing" });
  if (!CODE_VERIFIER.test(codeVerifier)) throw new OAuthError("invalid_grant", { reason: "code_verifier_malformed" });
  return sha256(codeVerifier);
}
