import { base64url, SignJWT } from "jose";
import { putTogether, signingInput, takeApart, TokenForge } from "./forged-tokens.ts";
import type { Attack, Scene } from "./jwt-attacks.ts";

/** The order of P-256's group (FIPS 186-4 D.1.2.3). */
const GROUP_ORDER = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

/**
 * Algorithms other than the key's own (RFC 8725 §3.1).
 *
 * @param others algorithms that the key is not for, but that a token with its signature names
 */
export function algorithmAttacks(scene: Scene, others: readonly string[]): Attack[] {
  const withAlg = (alg: unknown, signature: Uint8Array | string = "") => {
    const { forge } = scene();
    return putTogether({ ...forge.header, alg }, forge.claims, signature);
  };
  const hmac = (alg: "HS256" | "HS384" | "HS512", secret: Uint8Array | string) => {
    const { forge } = scene();
    const key = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
    return new SignJWT(forge.claims).setProtectedHeader({ ...forge.header, alg }).sign(key);
  };
  return [
    ...["none", "None", "NONE", "nOnE"].flatMap((alg): Attack[] => [
      [`alg ${alg} without a signature`, () => withAlg(alg)],
      [`alg ${alg} with the genuine signature`, () => withAlg(alg, takeApart(scene().genuine).signature)],
    ]),
    ...(["HS256", "HS384", "HS512"] as const).map(
      (alg): Attack => [`${alg} keyed with the public key as JWK`, () => hmac(alg, JSON.stringify(scene().publicJwk))],
    ),
    ["HS256 keyed with the public key as SPKI", async () => hmac("HS256", await spki(scene().publicJwk))],
    [
      "HS256 keyed with the public key as PEM",
      async () => {
        const encoded = btoa(String.fromCharCode(...(await spki(scene().publicJwk))));
        return hmac("HS256", `-----BEGIN PUBLIC KEY-----\n${encoded}\n-----END PUBLIC KEY-----\n`);
      },
    ],
    [
      "HS256 keyed with the key's own number",
      () => hmac("HS256", base64url.decode(scene().publicJwk.x ?? scene().publicJwk.n ?? "")),
    ],
    ...others.map((alg): Attack => [`the key's signature under alg "${alg}"`, () => scene().forge.withHeader({ alg })]),
    ["a header without alg", () => scene().forge.withHeader({ alg: undefined })],
    ["alg as an array", () => scene().forge.withHeader({ alg: [scene().forge.header["alg"]] })],
  ];
}

/** Keys that a token contains, points to, or names in ways that must be refused (RFC 8725 §3.5, §3.10). */
export function keyAttacks(scene: Scene): Attack[] {
  const url = "https://attacker.example/keys";
  const byStranger = (changes: Record<string, unknown>) => {
    const { forge, strangersKey } = scene();
    return new TokenForge(forge.header, forge.claims, strangersKey).withHeader(changes);
  };
  const byIssuer = (changes: Record<string, unknown>) => scene().forge.withHeader(changes);
  const kid = () => String(scene().forge.header["kid"]);
  return [
    ["a stranger's signature under the known kid", () => byStranger({})],
    ["a stranger's key in jwk", () => byStranger({ jwk: scene().strangersJwk })],
    ["a stranger's key in jwk, without kid", () => byStranger({ jwk: scene().strangersJwk, kid: undefined })],
    ["a stranger's key at jku", () => byStranger({ jku: url })],
    ["a stranger's certificate at x5u", () => byStranger({ x5u: url })],
    ["a stranger's certificate in x5c", () => byStranger({ x5c: ["MIIB"] })],
    ["the own key in jwk, although it signed", () => byIssuer({ jwk: scene().publicJwk })],
    ["jku, although the key itself signed", () => byIssuer({ jku: url })],
    ["x5u, although the key itself signed", () => byIssuer({ x5u: url })],
    ["x5c, although the key itself signed", () => byIssuer({ x5c: ["MIIB"] })],
    ["a missing kid", () => byIssuer({ kid: undefined })],
    ["a kid that is empty", () => byIssuer({ kid: "" })],
    ["a kid that is a number", () => byIssuer({ kid: 1 })],
    ["a kid that is an array", () => byIssuer({ kid: [kid()] })],
    ["a kid that is null", () => byIssuer({ kid: null })],
    ["an unknown kid", () => byIssuer({ kid: "2026-01" })],
    ["a kid in another case", () => byIssuer({ kid: kid().toUpperCase() === kid() ? "k" : kid().toUpperCase() })],
    ["a kid that names a member of every object", () => byIssuer({ kid: "__proto__" })],
    ["a kid that is a path", () => byIssuer({ kid: "../../../../dev/null" })],
    ["a kid that is SQL", () => byIssuer({ kid: `${kid()}' OR '1'='1` })],
    ["a kid of 10 KB", () => byIssuer({ kid: "k".repeat(10_240) })],
    ["a kid with a NUL after the known one", () => byIssuer({ kid: `${kid()}\u0000` })],
    [
      "another issuer's kid with its signature",
      () => scene().foreign.sign(scene().foreign.header, scene().forge.claims),
    ],
    [
      "another issuer's signature under the known kid",
      () => scene().foreign.sign(scene().forge.header, scene().forge.claims),
    ],
    ["the signature under another issuer's kid", () => byIssuer({ kid: scene().foreign.header["kid"] })],
  ];
}

/** Invalid P-256 signatures (RFC 7518 §3.4). */
export function ecdsaAttacks(scene: Scene): Attack[] {
  const withSignature = (signature: Uint8Array) => putTogether(scene().forge.header, scene().forge.claims, signature);
  const genuine = () => takeApart(scene().genuine).signature;
  return [
    ["r = s = 0 (CVE-2022-21449)", () => withSignature(new Uint8Array(64))],
    ["r = s = the group's order", () => withSignature(fromHex(GROUP_ORDER + GROUP_ORDER))],
    ["r = s = 1", () => withSignature(fromHex(`${"0".repeat(63)}1`.repeat(2)))],
    ["all bits set", () => withSignature(new Uint8Array(64).fill(255))],
    [
      "DER instead of r and s",
      async () => {
        const { forge } = scene();
        return withSignature(toDer(await forge.signature(signingInput(forge.header, forge.claims))));
      },
    ],
    ["r and s exchanged", () => withSignature(new Uint8Array([...genuine().slice(32), ...genuine().slice(0, 32)]))],
    ...cutAttacks(scene),
  ];
}

/** A genuine signature that is truncated, extended, changed, or moved to another token. */
export function cutAttacks(scene: Scene): Attack[] {
  const withSignature = (change: (signature: Uint8Array) => Uint8Array) => () => {
    const { forge, genuine } = scene();
    return putTogether(forge.header, takeApart(genuine).claims, change(takeApart(genuine).signature));
  };
  return [
    ["a signature one byte short", withSignature((signature) => signature.slice(0, -1))],
    ["half a signature", withSignature((signature) => signature.slice(0, signature.length / 2))],
    ["a signature of one byte", withSignature((signature) => signature.slice(0, 1))],
    ["a signature one byte long", withSignature((signature) => new Uint8Array([...signature, 0]))],
    ["a signature with a zero before", withSignature((signature) => new Uint8Array([0, ...signature]))],
    ["a signature twice", withSignature((signature) => new Uint8Array([...signature, ...signature]))],
    [
      "a signature with one bit flipped",
      withSignature((signature) => signature.map((byte, at) => (at === 40 ? byte ^ 1 : byte))),
    ],
    [
      "another token's signature",
      () => {
        const { forge, genuine } = scene();
        return putTogether(forge.header, { ...forge.claims, sub: "someone-else" }, takeApart(genuine).signature);
      },
    ],
  ];
}

async function spki(jwk: JsonWebKey): Promise<Uint8Array> {
  const algorithm =
    jwk.kty === "EC" ? { name: "ECDSA", namedCurve: "P-256" } : { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("jwk", { ...jwk, use: "sig" }, algorithm, true, ["verify"]);
  return new Uint8Array((await crypto.subtle.exportKey("spki", key)) as ArrayBuffer);
}

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
