import { base64url } from "jose";
import { signingInput, type TokenForge } from "./forged-tokens.ts";

/** A forged token, and what is wrong with it. */
export type Attack = [what: string, make: () => string | Promise<string>];

/** What attackers of an issuer's tokens have. */
export interface JwtScene {
  /** A token that is accepted. */
  readonly genuine: string;
  /** Signs with the same key as the genuine token, and starts from its content. */
  readonly forge: TokenForge;
  /** The forge of another issuer, whose key is published, but elsewhere. */
  readonly foreign: TokenForge;
  /** The public half of the key, as published. */
  readonly publicJwk: JsonWebKey;
  /** A key of the same kind that nobody published. */
  readonly strangersKey: CryptoKey;
  readonly strangersJwk: Readonly<Record<string, unknown>>;
}

/** Returns the scene. It is created before the tests run, but after they are named. */
export type Scene = () => JwtScene;

/** Other serialisations than the compact one, and malformed ones (RFC 7515 §4.1.11, §7). */
export function serialisationAttacks(scene: Scene): Attack[] {
  const parts = () => scene().genuine.split(".") as [string, string, string];
  const spliced = (index: number, change: (part: string) => string) =>
    parts()
      .map((part, at) => (at === index ? change(part) : part))
      .join(".");
  const anyPart = (what: string, change: (part: string) => string): Attack[] =>
    ["header", "claims", "signature"].map((name, index) => [`${what} in the ${name}`, () => spliced(index, change)]);
  const signed = async (input: string) => `${input}.${base64url.encode(await scene().forge.signature(input))}`;
  const withHeader = (changes: Record<string, unknown>) => () => scene().forge.withHeader(changes);
  return [
    ["an unknown crit", withHeader({ crit: ["https://acme.example/x"], "https://acme.example/x": true })],
    ["crit of a known parameter", withHeader({ crit: ["exp"], exp: 1 })],
    ["an empty crit", withHeader({ crit: [] })],
    ["b64 false with crit (RFC 7797)", withHeader({ b64: false, crit: ["b64"] })],
    ["b64 false without crit", withHeader({ b64: false })],
    ["b64 true with crit", withHeader({ b64: true, crit: ["b64"] })],
    ["zip", withHeader({ zip: "DEF" })],
    ["enc, as JWE has it", withHeader({ enc: "A256GCM" })],
    ["five parts, as JWE has them", () => [...parts(), "AAAA", "AAAA"].join(".")],
    ["four parts", () => `${scene().genuine}.AAAA`],
    ["a dot at the end", () => `${scene().genuine}.`],
    ["a dot before", () => `.${scene().genuine}`],
    ["two parts", () => parts().slice(0, 2).join(".")],
    ["no signature", () => `${parts().slice(0, 2).join(".")}.`],
    ["one part", () => parts()[1]],
    ["nothing but dots", () => ".."],
    [
      "the flattened JSON serialisation",
      () => {
        const [header, claims, signature] = parts();
        return JSON.stringify({ protected: header, payload: claims, signature });
      },
    ],
    [
      "the general JSON serialisation",
      () => {
        const [header, claims, signature] = parts();
        return JSON.stringify({ payload: claims, signatures: [{ protected: header, signature }] });
      },
    ],
    ["a token inside a token", () => scene().forge.sign({ ...scene().forge.header, cty: "JWT" }, scene().genuine)],
    [
      "claims that are an array",
      () => scene().forge.sign(scene().forge.header, JSON.stringify([scene().forge.claims])),
    ],
    [
      "claims that are no JSON",
      () => scene().forge.sign(scene().forge.header, `${JSON.stringify(scene().forge.claims)},`),
    ],
    [
      "claims after a byte order mark",
      () => scene().forge.sign(scene().forge.header, `\ufeff${JSON.stringify(scene().forge.claims)}`),
    ],
    [
      "a header after a byte order mark",
      () => scene().forge.sign(`\ufeff${JSON.stringify(scene().forge.header)}`, scene().forge.claims),
    ],
    [
      "claims that are no UTF-8",
      async () => {
        const [header] = parts();
        const broken = new TextEncoder().encode(JSON.stringify({ ...scene().forge.claims, note: "?" }));
        broken[broken.lastIndexOf(0x3f)] = 0xff;
        return signed(`${header}.${base64url.encode(broken)}`);
      },
    ],
    ["a megabyte", () => scene().forge.withClaims({ padding: "x".repeat(1_000_000) })],
    ...anyPart("padding", (part) => `${part}=`),
    ...anyPart("a space", (part) => `${part.slice(0, 9)} ${part.slice(9)}`),
    ...anyPart("a tab", (part) => `${part.slice(0, 9)}\t${part.slice(9)}`),
    ...anyPart("a percent-encoded letter", (part) => `%${part.charCodeAt(0).toString(16)}${part.slice(1)}`),
    ...anyPart("a + that stands for nothing", (part) => `${part.slice(0, 9)}+${part.slice(9)}`),
    ["padded claims that were signed so", () => signed(`${signingInput(scene().forge.header, scene().forge.claims)}=`)],
    ["bits left over in the signature", () => spliced(2, withBitsLeftOver)],
  ];
}

/** Times that are invalid, or not now (RFC 7519 §4.1.4 to §4.1.6). */
export function timeAttacks(scene: Scene): Attack[] {
  const now = () => Math.floor(Date.now() / 1000);
  const claims = (what: string, changes: () => Record<string, unknown>): Attack => [
    what,
    () => scene().forge.withClaims(changes()),
  ];
  return [
    claims("exp missing", () => ({ exp: undefined })),
    claims("exp as a string", () => ({ exp: String(now() + 600) })),
    claims("exp as an array", () => ({ exp: [now() + 600] })),
    claims("exp null", () => ({ exp: null })),
    claims("exp negative", () => ({ exp: -1 })),
    claims("exp zero", () => ({ exp: 0 })),
    claims("exp in milliseconds beyond what is exact", () => ({ exp: 2 ** 53 })),
    claims("exp past", () => ({ exp: now() - 1 })),
    claims("nbf in the future", () => ({ nbf: now() + 60 })),
    claims("nbf as a string", () => ({ nbf: String(now()) })),
    claims("nbf null", () => ({ nbf: null })),
    claims("iat in the future", () => ({ iat: now() + 60 })),
    claims("iat as a string", () => ({ iat: String(now()) })),
    claims("iat negative", () => ({ iat: -1 })),
    ...rawClaimAttacks(scene, [
      ["exp NaN", (json) => json.replace(/"exp":\d+/, '"exp":NaN')],
      ["exp beyond numbers", (json) => json.replace(/"exp":\d+/, '"exp":1e400')],
    ]),
  ];
}

/** Repeated members of the claims or header (RFC 7515 §4, RFC 7519 §4). */
export function repetitionAttacks(scene: Scene): Attack[] {
  return [
    ...rawClaimAttacks(scene, [
      ["a claim twice, the second one genuine", (json) => json.replace("{", '{"sub":"someone-else",')],
      ["a claim twice, the first one genuine", (json) => json.replace(/}$/, ',"sub":"someone-else"}')],
      ["a claim twice, once escaped", (json) => json.replace("{", '{"\\u0069ss":"https://attacker.example",')],
    ]),
    [
      "a header parameter twice",
      () =>
        scene().forge.sign(JSON.stringify(scene().forge.header).replace("{", '{"alg":"none",'), scene().forge.claims),
    ],
  ];
}

function rawClaimAttacks(scene: Scene, changes: readonly [string, (json: string) => string][]): Attack[] {
  return changes.map(
    ([what, change]): Attack => [
      what,
      () => scene().forge.sign(scene().forge.header, change(JSON.stringify(scene().forge.claims))),
    ],
  );
}

/** Sets a bit that belongs to no byte. A lenient decoder reads the same bytes from it. */
function withBitsLeftOver(encoded: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet[alphabet.indexOf(encoded.at(-1) ?? "") + 1] ?? "";
  return encoded.slice(0, -1) + last;
}
