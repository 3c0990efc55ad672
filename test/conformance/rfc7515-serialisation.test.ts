import { base64url } from "jose";
import { beforeAll, describe } from "vitest";
import type { TokenAnswer } from "../support/app-client.ts";
import { type Attack, makeForgeryScene, refusesAll } from "../support/forgery.ts";
import { signingInput, type TokenForge } from "../support/forged-tokens.ts";

let tokens: TokenAnswer;
let forge: TokenForge;

beforeAll(async () => {
  ({ tokens, forge } = await makeForgeryScene());
});

describe("access tokens: extensions and serialisations (RFC 7515 §4.1.11, §7)", () => {
  const parts = () => tokens.access_token.split(".") as [string, string, string];
  const spliced = (index: number, change: (part: string) => string) =>
    parts()
      .map((part, at) => (at === index ? change(part) : part))
      .join(".");
  const anyPart = (what: string, change: (part: string) => string): Attack[] =>
    ["header", "claims", "signature"].map((name, index) => [`${what} in the ${name}`, () => spliced(index, change)]);
  const signed = async (input: string) => `${input}.${base64url.encode(await forge.signature(input))}`;

  refusesAll([
    ["an unknown crit", () => forge.withHeader({ crit: ["https://acme.example/x"], "https://acme.example/x": true })],
    ["crit of a known parameter", () => forge.withHeader({ crit: ["exp"], exp: 1 })],
    ["an empty crit", () => forge.withHeader({ crit: [] })],
    ["b64 false with crit (RFC 7797)", () => forge.withHeader({ b64: false, crit: ["b64"] })],
    ["b64 false without crit", () => forge.withHeader({ b64: false })],
    ["b64 true with crit", () => forge.withHeader({ b64: true, crit: ["b64"] })],
    ["zip", () => forge.withHeader({ zip: "DEF" })],
    ["enc, as JWE has it", () => forge.withHeader({ enc: "A256GCM" })],
    ["five parts, as JWE has them", () => [...parts(), "AAAA", "AAAA"].join(".")],
    ["four parts", () => `${tokens.access_token}.AAAA`],
    ["a dot at the end", () => `${tokens.access_token}.`],
    ["a dot before", () => `.${tokens.access_token}`],
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
    ["a token inside a token", () => forge.sign({ ...forge.header, cty: "JWT" }, tokens.access_token)],
    ["claims that are an array", () => forge.sign(forge.header, JSON.stringify([forge.claims]))],
    ["claims that are no JSON", () => forge.sign(forge.header, `${JSON.stringify(forge.claims)},`)],
    ["claims after a byte order mark", () => forge.sign(forge.header, `\ufeff${JSON.stringify(forge.claims)}`)],
    ["a header after a byte order mark", () => forge.sign(`\ufeff${JSON.stringify(forge.header)}`, forge.claims)],
    [
      "claims that are no UTF-8",
      async () => {
        const [header] = parts();
        const broken = new TextEncoder().encode(JSON.stringify({ ...forge.claims, note: "?" }));
        broken[broken.lastIndexOf(0x3f)] = 0xff;
        return signed(`${header}.${base64url.encode(broken)}`);
      },
    ],
    ["a megabyte", () => forge.withClaims({ padding: "x".repeat(1_000_000) })],
    ...anyPart("padding", (part) => `${part}=`),
    ...anyPart("a space", (part) => `${part.slice(0, 9)} ${part.slice(9)}`),
    ...anyPart("a tab", (part) => `${part.slice(0, 9)}\t${part.slice(9)}`),
    ...anyPart("a percent-encoded letter", (part) => `%${part.charCodeAt(0).toString(16)}${part.slice(1)}`),
    ...anyPart("a + that stands for nothing", (part) => `${part.slice(0, 9)}+${part.slice(9)}`),
    ["padded claims that were signed so", () => signed(`${signingInput(forge.header, forge.claims)}=`)],
    ["bits left over in the signature", () => spliced(2, withBitsLeftOver)],
  ]);
});

/** Sets a bit that no byte takes: another spelling of the same bytes for whoever decodes leniently. */
function withBitsLeftOver(encoded: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet[alphabet.indexOf(encoded.at(-1) ?? "") + 1] ?? "";
  return encoded.slice(0, -1) + last;
}
