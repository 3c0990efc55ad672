import type { SigningKey } from "#crypto/signing-key.ts";
import { utf8 } from "#crypto/utf8.ts";

/** What the signature covers: the receiver, and the whole body by its digest. */
const COVERED = `("@method" "@target-uri" "content-type" "content-digest")`;

/**
 * Returns a POST request with a signed body (RFC 9421 §3.1, `ecdsa-p256-sha256`; RFC 9530 §2). The receiver finds the public key by
 * `keyid` in the instance's key set, so there is no shared secret. `created` shows how old the signature is.
 *
 * The key also signs JWTs. The two can't be confused: a signature base begins with a quotation mark, and what a JWT's signature
 * covers never does.
 *
 * @param authorization the Authorization header, for receivers that require one
 * @param type the media type of the body
 */
export async function signedRequest(
  url: string,
  body: string,
  { kid, privateKey }: SigningKey,
  created: number,
  { authorization, type = "application/x-ndjson" }: { authorization?: string | undefined; type?: string } = {},
): Promise<RequestInit> {
  const digest = `sha-256=:${base64(await crypto.subtle.digest("SHA-256", utf8(body)))}:`;
  const parameters = `${COVERED};created=${created};keyid="${kid}";alg="ecdsa-p256-sha256"`;
  const base = [
    `"@method": POST`,
    `"@target-uri": ${new URL(url).href}`,
    `"content-type": ${type}`,
    `"content-digest": ${digest}`,
    `"@signature-params": ${parameters}`,
  ].join("\n");
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, utf8(base));
  return {
    method: "POST",
    headers: {
      "Content-Type": type,
      "Content-Digest": digest,
      "Signature-Input": `audit=${parameters}`,
      Signature: `audit=:${base64(signature)}:`,
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    },
    body,
  };
}

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
