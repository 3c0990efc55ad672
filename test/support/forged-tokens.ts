import { servicesOf } from "#services.ts";
import { base64url } from "jose";
import { env } from "./isolate.ts";

type Json = Readonly<Record<string, unknown>>;

/** Decodes a JWT without verifying it. */
export function takeApart(jwt: string): { header: Json; claims: Json; signature: Uint8Array } {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  return { header: parse(header), claims: parse(claims), signature: base64url.decode(signature) };
}

/** Builds a JWT from three parts. A string is used unchanged; anything else becomes JSON. */
export function putTogether(header: Json | string, claims: Json | string, signature: Uint8Array | string): string {
  return `${signingInput(header, claims)}.${base64url.encode(signature)}`;
}

export function signingInput(header: Json | string, claims: Json | string): string {
  return `${encode(header)}.${encode(claims)}`;
}

/**
 * Signs as an issuer does, with the issuer's own key. So if a token is refused, it is because of its content and not its
 * signature.
 */
export class TokenForge {
  readonly header: Json;
  readonly claims: Json;
  readonly #privateKey: CryptoKey;

  /** @param header the header of a good token, which the forged ones start from, as do `claims` */
  constructor(header: Json, claims: Json, privateKey: CryptoKey) {
    this.header = header;
    this.claims = claims;
    this.#privateKey = privateKey;
  }

  /**
   * Returns the forge of an instance's authorization server.
   *
   * @param genuine an access token of the instance
   */
  static async of(instanceName: string, genuine: string): Promise<TokenForge> {
    const { policySnapshots, signingKeys } = servicesOf(env);
    const policy = await policySnapshots.of(instanceName, () => {});
    if (!policy) throw new Error(`there is no instance ${instanceName}`);
    const { header, claims } = takeApart(genuine);
    return new TokenForge(header, claims, (await signingKeys.active(policy)).privateKey);
  }

  /** Signs the genuine token with other claims; `undefined` leaves a claim out. */
  withClaims(changes: Json): Promise<string> {
    return this.sign(this.header, { ...this.claims, ...changes });
  }

  /** Signs the genuine token with another header; `undefined` leaves a parameter out. */
  withHeader(changes: Json): Promise<string> {
    return this.sign({ ...this.header, ...changes }, this.claims);
  }

  async sign(header: Json | string, claims: Json | string): Promise<string> {
    return putTogether(header, claims, await this.signature(signingInput(header, claims)));
  }

  async signature(text: string): Promise<Uint8Array> {
    const bytes = new TextEncoder().encode(text);
    return new Uint8Array(await crypto.subtle.sign(signingParameters(this.#privateKey), this.#privateKey, bytes));
  }
}

/** Returns the parameters with which a key signs a JWS (RFC 7518 §3.1, RFC 8037 §3.1). */
function signingParameters({ algorithm }: CryptoKey): SubtleCryptoSignAlgorithm {
  const hashes: Record<string, string> = { "P-256": "SHA-256", "P-384": "SHA-384", "P-521": "SHA-512" };
  const { name, namedCurve, hash } = algorithm as { name: string; namedCurve?: string; hash?: { name: string } };
  if (namedCurve !== undefined) return { name, hash: hashes[namedCurve] ?? "SHA-256" };
  return name === "RSA-PSS" ? { name, saltLength: Number(hash?.name.slice(4)) / 8 } : { name };
}

function parse(part: string): Json {
  return JSON.parse(new TextDecoder().decode(base64url.decode(part))) as Json;
}

function encode(part: Json | string): string {
  return base64url.encode(typeof part === "string" ? part : JSON.stringify(part));
}
