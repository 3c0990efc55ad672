import { randomId, sha256 } from "#crypto/secrets.ts";
import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { ORIGIN, send } from "./world.ts";

/** Changes of a proof; `undefined` leaves a member out. */
export interface ProofChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** The key pair of an app whose tokens are bound to it. */
export class DpopKey {
  readonly algorithm: string;
  readonly publicJwk: JWK;
  readonly privateKey: CryptoKey;
  readonly thumbprint: string;

  private constructor(algorithm: string, publicJwk: JWK, privateKey: CryptoKey, thumbprint: string) {
    this.algorithm = algorithm;
    this.publicJwk = publicJwk;
    this.privateKey = privateKey;
    this.thumbprint = thumbprint;
  }

  static async make(algorithm = "ES256"): Promise<DpopKey> {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const publicJwk = await exportJWK(publicKey);
    return new DpopKey(algorithm, publicJwk, privateKey, await calculateJwkThumbprint(publicJwk));
  }

  /** Signs a proof for a request to the token endpoint, or for what the claims say. */
  proof({ claims, header }: ProofChanges = {}): Promise<string> {
    const usual = { jti: randomId(), htm: "POST", htu: `${ORIGIN}/oauth/token`, iat: Math.floor(Date.now() / 1000) };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ typ: "dpop+jwt", alg: this.algorithm, jwk: this.publicJwk, ...header })
      .sign(this.privateKey);
  }

  /** Signs a proof with the current nonce of its origin. */
  async freshProof(changes: ProofChanges = {}, origin = ORIGIN): Promise<string> {
    return this.proof({ ...changes, claims: { nonce: await nonceOf(origin), ...changes.claims } });
  }

  /** Returns the headers of a call with a token that is bound to this key. */
  async headers(token: string, path: string, changes: ProofChanges = {}, origin = ORIGIN) {
    const claims = { htu: origin + path, ath: await sha256(token), ...changes.claims };
    return { Authorization: `DPoP ${token}`, DPoP: await this.freshProof({ ...changes, claims }, origin) };
  }
}

const nonces = new Map<string, string>();

/**
 * Returns the current nonce of an origin. It is requested once a minute, because a nonce stays current for a minute.
 */
export async function nonceOf(origin = ORIGIN): Promise<string> {
  const minute = `${origin} ${Math.floor(Date.now() / 60_000)}`;
  const known = nonces.get(minute);
  if (known !== undefined) return known;
  const refused = await send(`${origin}/rest/api/v1/search`, {
    method: "POST",
    headers: { Authorization: "DPoP none" },
  });
  await refused.body?.cancel();
  const nonce = refused.headers.get("DPoP-Nonce") ?? "";
  nonces.set(minute, nonce);
  return nonce;
}
