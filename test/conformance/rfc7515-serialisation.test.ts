import { beforeAll, describe } from "vitest";
import { makeForgeryScene, refusesAll } from "../support/forgery.ts";
import { type JwtScene, serialisationAttacks } from "../support/jwt-attacks.ts";

let scene: JwtScene;

beforeAll(async () => {
  scene = await makeForgeryScene();
});

describe("access tokens: extensions and serialisations (RFC 7515 §4.1.11, §7)", () => {
  refusesAll(serialisationAttacks(() => scene));
});
