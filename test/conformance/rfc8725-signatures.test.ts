import { beforeAll, describe } from "vitest";
import { makeForgeryScene, refusesAll } from "../support/forgery.ts";
import type { JwtScene } from "../support/jwt-attacks.ts";
import { algorithmAttacks, ecdsaAttacks, keyAttacks } from "../support/signature-attacks.ts";

let scene: JwtScene;

beforeAll(async () => {
  scene = await makeForgeryScene();
});

describe("access tokens: signature algorithm (RFC 8725 §3.1)", () => {
  refusesAll(algorithmAttacks(() => scene, ["RS256", "PS256", "ES384", "ES512", "EdDSA", "es256", "ES256 ", ""]));
});

describe("access tokens: keys that the token itself contains or refers to (RFC 8725 §3.5, §3.10)", () => {
  refusesAll(keyAttacks(() => scene));
});

describe("access tokens: the signature itself (RFC 7518 §3.4)", () => {
  refusesAll(ecdsaAttacks(() => scene));
});
