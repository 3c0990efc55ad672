import { isSignedByItsKey, parseCompactJwt } from "#crypto/compact-jwt.ts";
import { sha256 } from "#crypto/secrets.ts";
import { holdsSecret, type PublicKey, readPublicKey, thumbprintOf } from "#crypto/public-key.ts";
import { isObject } from "#protocol/json-object.ts";
import { isNumericDate } from "#protocol/numeric-date.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Settings } from "#settings/settings.ts";

/** The algorithms that proofs may be signed with, each with its type of key: those of FAPI 2.0 §5.4. */
const KEY_TYPES: Readonly<Record<string, PublicKey["kty"]>> = {
  ES256: "EC",
  PS256: "RSA",
  Ed25519: "OKP",
  EdDSA: "OKP",
};

export const DPOP_ALGORITHMS: readonly string[] = Object.keys(KEY_TYPES);

/** Maximum length of a proof: enough for a key of 4096 bits, its signature and all claims. */
const PROOF_CHARACTERS_MAX = 4096;

/** Maximum length of a `jti`, because each is remembered for a while. */
const JTI_CHARACTERS_MAX = 128;

/** A request, with its proof if it has one. */
export interface ProvedRequest {
  /** The `DPoP` header. Two of them arrive joined by a comma, which no proof contains. */
  readonly proof: string | undefined;
  readonly method: string;
  /** The URL that the request was sent to: the issuer and the path. */
  readonly url: string;
}

/** The content of a proof whose signature and request were checked, but not its age. */
export interface DpopProof {
  /** RFC 7638 thumbprint of the key that signed it. */
  readonly keyThumbprint: string;
  readonly jti: string;
  /** Seconds since 1970, by the clock of the sender. */
  readonly issuedAt: number;
  readonly nonce: unknown;
}

/** Makes the refusal of a proof, in the caller's own form. */
type RefuseProof = (reason: RefusalReason, description: string) => Error;

/**
 * Verifies that the sender holds the private key for the public key in the proof, and made the proof for exactly this request
 * (RFC 9449 §4.3). `DpopProofs` checks when it was made.
 *
 * @param accessToken that the request uses, if any: the proof must be made for it
 * @throws what `refuse` makes
 */
export async function readProof(
  { proof, method, url }: ProvedRequest,
  accessToken: string | undefined,
  refuse: RefuseProof,
): Promise<DpopProof> {
  const jwt = parseCompactJwt(proof ?? "", PROOF_CHARACTERS_MAX);
  if (!jwt) throw refuse("dpop_proof_malformed", "Send one DPoP header with one signed JWT");
  const { typ, alg, jwk } = jwt.header;
  if (typ !== "dpop+jwt") throw refuse("dpop_proof_type_wrong", "The header of a DPoP proof has typ dpop+jwt");
  const keyType = KEY_TYPES[String(alg)];
  if (typeof alg !== "string" || !keyType) {
    throw refuse("dpop_algorithm_not_allowed", `Sign DPoP proofs with one of ${DPOP_ALGORITHMS.join(", ")}`);
  }
  const key = requireKey(jwk, keyType, refuse);
  if (!(await isSignedByItsKey(jwt, key, [alg]))) {
    throw refuse("dpop_signature_wrong", "The DPoP proof is not signed by the key in its header");
  }
  const { jti, htm, htu, iat, ath, nonce } = jwt.payload;
  if (typeof jti !== "string" || jti === "" || jti.length > JTI_CHARACTERS_MAX || !isNumericDate(iat)) {
    throw refuse("dpop_claims_malformed", "A DPoP proof has an id of its own (jti) and a time (iat)");
  }
  if (htm !== method) throw refuse("dpop_method_wrong", `The DPoP proof is for another method: htm must be ${method}`);
  if (!isSameTarget(htu, url)) throw refuse("dpop_url_wrong", `The DPoP proof is for another URL: htu must be ${url}`);
  if (accessToken !== undefined && ath !== (await sha256(accessToken))) {
    throw refuse(
      "dpop_token_hash_wrong",
      "The DPoP proof is for another access token: ath must be the hash of this one",
    );
  }
  return { keyThumbprint: await thumbprintOf(key), jti, issuedAt: iat, nonce };
}

function requireKey(jwk: unknown, keyType: PublicKey["kty"], refuse: RefuseProof): PublicKey {
  const members = isObject(jwk) ? jwk : {};
  if (holdsSecret(members)) {
    throw refuse(
      "dpop_key_private",
      "The DPoP proof has a private key in its header: make a new one, and send its public part",
    );
  }
  const key = readPublicKey(members);
  if (key?.kty === keyType) return key;
  throw refuse(
    "dpop_key_unusable",
    "The DPoP proof needs the public key of its algorithm in its header: EC on P-256, Ed25519, or RSA of 2048 to 4096 bits",
  );
}

/**
 * Checks whether a proof's `htu` names the target of a request (RFC 9449 §4.3). Query and fragment are ignored, and URLs are
 * compared in their normal form (RFC 3986 §6.2.2, §6.2.3).
 *
 * @param url the issuer, and the path as the router matched it
 */
export function isSameTarget(htu: unknown, url: string): boolean {
  if (htu === url) return true;
  const given = typeof htu === "string" ? normalised(htu) : undefined;
  return given !== undefined && given === normalised(url);
}

/** @returns `undefined` for anything but an http or https URL without a user name */
function normalised(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  if (username !== "" || password !== "") return undefined;
  return origin + pathname.replace(/%[0-9a-f]{2}/gi, unescapeUnreserved);
}

/** Decodes letters, digits, `-`, `.`, `_` and `~`, which mean the same escaped or not; everything else stays escaped. */
function unescapeUnreserved(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
  return /[A-Za-z0-9\-._~]/.test(character) ? character : escaped.toUpperCase();
}

/** The scheme that an access token is sent with: DPoP if it is bound to a key, otherwise Bearer. */
export type TokenScheme = "Bearer" | "DPoP";

/**
 * Requires the right scheme for a token. If a bound token were accepted as a bearer token, a stolen copy would work
 * (RFC 9449 §7.2); for an unbound token, a proof shows nothing.
 *
 * @param boundTo the thumbprint of the token's key, if it is bound
 * @throws {ApiError} `invalid_token`
 */
export function requireScheme(scheme: TokenScheme, boundTo: string | undefined): void {
  if (boundTo !== undefined && scheme === "Bearer") {
    throw new ApiError("invalid_token", {
      reason: "token_bound_sent_as_bearer",
      description:
        "The access token is bound to a key: send it as Authorization: DPoP <token>, with a proof in the header DPoP",
    });
  }
  if (boundTo === undefined && scheme === "DPoP") {
    throw new ApiError("invalid_token", {
      reason: "token_not_bound",
      description: "The token is bound to no key: send it as Authorization: Bearer <token>",
    });
  }
}

/** Checks whether access tokens that are not bound to a key are refused, because those of all apps must be bound. */
export function mustBeBound({ appRequirements }: Pick<Settings, "appRequirements">): boolean {
  return appRequirements.includes("dpop");
}
