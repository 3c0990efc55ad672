import { type CompactJwt, isSignedBy } from "#crypto/compact-jwt.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { KeyPublisher } from "./issuer-documents.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

/** Why a JWT does not count as signed by its issuer. */
export type SignatureFault = "algorithm-not-allowed" | "key-unnamed" | "key-unknown" | "signature-wrong";

/**
 * Checks that an issuer signed a JWT: with an allowed algorithm, and with the published key that the header names.
 *
 * @param algorithms the allowed ones, whatever the header says (RFC 8725 §3.1)
 * @returns what is wrong, for the caller to refuse in its own form; `undefined` for a valid signature
 * @throws {ApiError} `temporarily_unavailable` if no keys of the issuer are known
 */
export async function findSignatureFault(
  jwt: CompactJwt,
  issuer: KeyPublisher,
  algorithms: readonly string[],
  keys: Pick<IssuerKeys, "find">,
  waitUntil: WaitUntil,
): Promise<SignatureFault | undefined> {
  const { alg, kid } = jwt.header;
  const algorithm = algorithms.find((allowed) => allowed === alg);
  if (algorithm === undefined) return "algorithm-not-allowed";
  if (typeof kid !== "string" || kid === "") return "key-unnamed";
  const key = await keys.find(issuer, kid, algorithm, waitUntil);
  if (!key) return "key-unknown";
  return (await isSignedBy(jwt, key, [algorithm])) ? undefined : "signature-wrong";
}
