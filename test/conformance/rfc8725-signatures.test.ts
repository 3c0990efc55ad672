import { base64url, exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe } from "vitest";
import type { TokenAnswer } from "../support/app-client.ts";
import { type Attack, makeForgeryScene, refusesAll } from "../support/forgery.ts";
import { putTogether, signingInput, takeApart, type TokenForge } from "../support/forged-tokens.ts";
import { ORIGIN, send } from "../support/world.ts";

/** The order of P-256's group (FIPS 186-4 D.1.2.3). */
const GROUP_ORDER = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

let tokens: TokenAnswer;
let forge: TokenForge;
let foreign: TokenForge;
let publicJwk: JsonWebKey & { readonly x: string };
/** A key that nobody published. */
let attackerKey: CryptoKey;
let attackerJwk: Record<string, unknown>;

beforeAll(async () => {
  ({ tokens, forge, foreign } = await makeForgeryScene());
  const { keys } = await (await send("/oauth/jwks")).json<{ keys: [typeof publicJwk] }>();
  publicJwk = keys[0];
  const pair = await generateKeyPair("ES256", { extractable: true });
  attackerKey = pair.privateKey;
  attackerJwk = { ...(await exportJWK(pair.publicKey)) };
});

describe("access tokens: signature algorithm (RFC 8725 §3.1)", () => {
  const withAlg = (alg: unknown, signature: Uint8Array | string = "") =>
    putTogether({ ...forge.header, alg }, forge.claims, signature);
  const genuineSignature = () => takeApart(tokens.access_token).signature;
  const hmac = async (alg: "HS256" | "HS384" | "HS512", secret: Uint8Array) =>
    new SignJWT(forge.claims).setProtectedHeader({ ...forge.header, alg }).sign(secret);
  const text = (value: string) => new TextEncoder().encode(value);
  const spki = async () => {
    const key = await crypto.subtle.importKey("jwk", publicJwk, { name: "ECDSA", namedCurve: "P-256" }, true, [
      "verify",
    ]);
    return new Uint8Array((await crypto.subtle.exportKey("spki", key)) as ArrayBuffer);
  };

  refusesAll([
    ...["none", "None", "NONE", "nOnE"].flatMap((alg): Attack[] => [
      [`alg ${alg} without a signature`, () => withAlg(alg)],
      [`alg ${alg} with the genuine signature`, () => withAlg(alg, genuineSignature())],
    ]),
    ["HS256 keyed with the public key as JWK", () => hmac("HS256", text(JSON.stringify(publicJwk)))],
    ["HS384 keyed with the public key as JWK", () => hmac("HS384", text(JSON.stringify(publicJwk)))],
    ["HS512 keyed with the public key as JWK", () => hmac("HS512", text(JSON.stringify(publicJwk)))],
    ["HS256 keyed with the public key as SPKI", async () => hmac("HS256", await spki())],
    [
      "HS256 keyed with the public key as PEM",
      async () =>
        hmac(
          "HS256",
          text(
            `-----BEGIN PUBLIC KEY-----\n${btoa(String.fromCharCode(...(await spki())))}\n-----END PUBLIC KEY-----\n`,
          ),
        ),
    ],
    ["HS256 keyed with the key's x", () => hmac("HS256", base64url.decode(publicJwk.x))],
    ...["RS256", "PS256", "ES384", "ES512", "EdDSA", "es256", "ES256 ", ""].map(
      (alg): Attack => [`our key's signature under alg "${alg}"`, () => forge.withHeader({ alg })],
    ),
    ["a header without alg", () => forge.withHeader({ alg: undefined })],
    ["alg as an array", () => forge.withHeader({ alg: ["ES256"] })],
  ]);
});

describe("access tokens: keys that come along or are pointed at (RFC 8725 §3.5, §3.10)", () => {
  const byAttacker = (changes: Record<string, unknown>) =>
    new SignJWT(forge.claims).setProtectedHeader({ ...forge.header, alg: "ES256", ...changes }).sign(attackerKey);
  const url = "https://attacker.example/keys";

  refusesAll([
    ["a stranger's signature under our kid", () => byAttacker({})],
    ["a stranger's key in jwk", () => byAttacker({ jwk: attackerJwk })],
    ["a stranger's key in jwk, without kid", () => byAttacker({ jwk: attackerJwk, kid: undefined })],
    ["a stranger's key at jku", () => byAttacker({ jku: url })],
    ["a stranger's certificate at x5u", () => byAttacker({ x5u: url })],
    ["a stranger's certificate in x5c", () => byAttacker({ x5c: ["MIIB"] })],
    ["our own key in jwk, although it signed", () => forge.withHeader({ jwk: publicJwk })],
    ["jku, although our key signed", () => forge.withHeader({ jku: `${ORIGIN}/oauth/jwks` })],
    ["x5u, although our key signed", () => forge.withHeader({ x5u: url })],
    ["x5c, although our key signed", () => forge.withHeader({ x5c: ["MIIB"] })],
    ["a missing kid", () => forge.withHeader({ kid: undefined })],
    ["a kid that is a number", () => forge.withHeader({ kid: 1 })],
    ["a kid that is an array", () => forge.withHeader({ kid: [forge.header["kid"]] })],
    ["a kid that is null", () => forge.withHeader({ kid: null })],
    ["an unknown kid", () => forge.withHeader({ kid: "2026-01" })],
    ["a kid that names a member of every object", () => forge.withHeader({ kid: "__proto__" })],
    ["a kid that is a path", () => forge.withHeader({ kid: "../../../../dev/null" })],
    ["a kid that is SQL", () => forge.withHeader({ kid: `${String(forge.header["kid"])}' OR '1'='1` })],
    ["a kid of 10 KB", () => forge.withHeader({ kid: "k".repeat(10_240) })],
    ["a kid with a NUL after ours", () => forge.withHeader({ kid: `${String(forge.header["kid"])}\u0000` })],
    ["another instance's kid with its signature", () => foreign.sign(foreign.header, forge.claims)],
    ["another instance's signature under our kid", () => foreign.sign(forge.header, forge.claims)],
    ["our signature under another instance's kid", () => forge.withHeader({ kid: foreign.header["kid"] })],
  ]);
});

describe("access tokens: the signature itself (RFC 7518 §3.4)", () => {
  const withSignature = (signature: Uint8Array) => putTogether(forge.header, forge.claims, signature);
  const genuine = () => takeApart(tokens.access_token).signature;

  refusesAll([
    ["r = s = 0 (CVE-2022-21449)", () => withSignature(new Uint8Array(64))],
    ["r = s = the group's order", () => withSignature(fromHex(GROUP_ORDER + GROUP_ORDER))],
    ["r = s = 1", () => withSignature(fromHex(`${"0".repeat(63)}1`.repeat(2)))],
    ["all bits set", () => withSignature(new Uint8Array(64).fill(255))],
    [
      "DER instead of r and s",
      async () => withSignature(toDer(await forge.signature(signingInput(forge.header, forge.claims)))),
    ],
    ["a signature one byte short", () => withSignature(genuine().slice(0, 63))],
    ["a signature one byte long", () => withSignature(new Uint8Array([...genuine(), 0]))],
    ["a signature with a zero before", () => withSignature(new Uint8Array([0, ...genuine()]))],
    [
      "a signature with one bit flipped",
      () => withSignature(genuine().map((byte, at) => (at === 40 ? byte ^ 1 : byte))),
    ],
    ["r and s exchanged", () => withSignature(new Uint8Array([...genuine().slice(32), ...genuine().slice(0, 32)]))],
    ["another token's signature", () => putTogether(forge.header, { ...forge.claims, sub: "someone-else" }, genuine())],
  ]);
});

function fromHex(hex: string): Uint8Array {
  return new Uint8Array((hex.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)));
}

function toDer(signature: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array) => {
    const padded = (bytes[0] ?? 0) > 127 ? [0, ...bytes] : [...bytes];
    return [2, padded.length, ...padded];
  };
  const content = [...integer(signature.slice(0, 32)), ...integer(signature.slice(32))];
  return new Uint8Array([0x30, content.length, ...content]);
}
