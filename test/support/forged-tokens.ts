import { servicesOf } from "#services.ts";
import { base64url } from "jose";
import { env } from "./isolate.ts";

type Json = Readonly<Record<string, unknown>>;

/** Takes a JWT apart without believing it. */
export function takeApart(jwt: string): { header: Json; claims: Json; signature: Uint8Array } {
  const [header = "", claims = "", signature = ""] = jwt.split(".");
  return { header: parse(header), claims: parse(claims), signature: base64url.decode(signature) };
}

/** A JWT of these three parts; a text is taken as it is, everything else becomes JSON. */
export function putTogether(header: Json | string, claims: Json | string, signature: Uint8Array | string): string {
  return `${signingInput(header, claims)}.${base64url.encode(signature)}`;
}

export function signingInput(header: Json | string, claims: Json | string): string {
  return `${encode(header)}.${encode(claims)}`;
}

/**
 * Signs like an issuer itself, with its own key: whatever is refused then was refused for what the token says, not for its
 * signature.
 */
export class TokenForge {
  readonly header: Json;
  readonly claims: Json;
  readonly #privateKey: CryptoKey;

  /** @param header of a token that is good, which the forged ones resemble, as its claims */
  constructor(header: Json, claims: Json, privateKey: CryptoKey) {
    this.header = header;
    this.claims = claims;
    this.#privateKey = privateKey;
  }

  /**
   * The forge of an instance of the authorization server.
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

  /** The genuine token with other claims; `undefined` leaves a claim out. */
  withClaims(changes: Json): Promise<string> {
    return this.sign(this.header, { ...this.claims, ...changes });
  }

  /** The genuine token with another header; `undefined` leaves a parameter out. */
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

/** What makes a JWS's signature with a key (RFC 7518 §3.1, RFC 8037 §3.1). */
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
