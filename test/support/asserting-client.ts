import { randomId } from "#crypto/secrets.ts";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { ORIGIN } from "./world.ts";

export const ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/** The key pair of a client that authenticates with assertions. */
export class ClientKey {
  readonly kid: string;
  readonly algorithm: string;
  readonly publicJwk: JWK;
  readonly privateKey: CryptoKey;

  private constructor(kid: string, algorithm: string, publicJwk: JWK, privateKey: CryptoKey) {
    this.kid = kid;
    this.algorithm = algorithm;
    this.publicJwk = publicJwk;
    this.privateKey = privateKey;
  }

  static async make(algorithm = "ES256", kid = randomId()): Promise<ClientKey> {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const publicJwk = { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: "sig" };
    return new ClientKey(kid, algorithm, publicJwk, privateKey);
  }

  /** Signs a client assertion for the token endpoint; `undefined` leaves a claim out. */
  assertion(
    clientId: string,
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: clientId, sub: clientId, aud: ORIGIN, iat: now, exp: now + 60, jti: randomId() };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: this.algorithm, kid: this.kid, ...header })
      .sign(this.privateKey);
  }

  /** Returns the parameters that authenticate a request. */
  async authenticates(clientId: string, claims: Readonly<Record<string, unknown>> = {}) {
    return { client_assertion_type: ASSERTION_TYPE, client_assertion: await this.assertion(clientId, claims) };
  }
}
