import { claimedKind, hasRightChecksum, makeServiceToken } from "#service-tokens/service-token.ts";
import { readDraft } from "#service-tokens/token-draft.ts";
import { describe, expect, it } from "vitest";

async function isServiceToken(text: string): Promise<boolean> {
  return claimedKind(text) !== undefined && hasRightChecksum(text);
}

describe("service-issued tokens", () => {
  it("show their kind, and have 256 random bits and a checksum", async () => {
    expect(await makeServiceToken("client-api")).toMatch(/^ghc_[A-Za-z0-9_-]{49}$/);
    expect(await makeServiceToken("indexing")).toMatch(/^ghi_[A-Za-z0-9_-]{49}$/);
    expect(claimedKind(await makeServiceToken("client-api"))).toBe("client-api");
    expect(claimedKind(await makeServiceToken("indexing"))).toBe("indexing");
    expect(claimedKind(await makeServiceToken("admin"))).toBe("admin");
    expect(await makeServiceToken("admin")).toMatch(/^gha_[A-Za-z0-9_-]{49}$/);
    const made = await Promise.all(Array.from({ length: 100 }, () => makeServiceToken("indexing")));
    expect(new Set(made).size).toBe(100);
    for (const token of made) expect(await isServiceToken(token)).toBe(true);
  });

  it("are distinguished from every shorter and longer text", async () => {
    const token = await makeServiceToken("client-api");
    for (let length = 0; length < token.length; length += 1)
      expect(await isServiceToken(token.slice(0, length))).toBe(false);
    for (const longer of [`${token}A`, `A${token}`, `${token} `, `${token}\n`, token + token]) {
      expect(await isServiceToken(longer)).toBe(false);
    }
  });

  it("are distinguished from themselves with any one character mistyped, including the kind", async () => {
    const token = await makeServiceToken("client-api");
    for (const [at, character] of token.split("").entries()) {
      const mistyped = token.slice(0, at) + (character === "i" ? "c" : "i") + token.slice(at + 1);
      expect(await isServiceToken(mistyped)).toBe(false);
    }
  });
});

describe("the draft of a service-issued token", () => {
  const draft = {
    kind: "client-api" as const,
    name: "t",
    scopes: ["SEARCH"],
    person: "ada@acme.example",
    lifetimeSeconds: null,
  };

  it("has a name whose characters hide and reverse nothing", () => {
    expect(readDraft({ ...draft, name: " ter\0ra\u202Eform " }).name).toBe("terraform");
    for (const name of ["", " \u200B\n", "n".repeat(81)])
      expect(() => readDraft({ ...draft, name })).toThrow("80 characters");
  });

  it("has no expiry, or one within 3660 days, which every system can represent as a date", () => {
    for (const lifetimeSeconds of [null, 1, 3660 * 86_400]) {
      expect(readDraft({ ...draft, lifetimeSeconds }).lifetimeSeconds).toBe(lifetimeSeconds);
    }
    for (const lifetimeSeconds of [0, -1, NaN, 3660 * 86_400 + 1, 1e13, Infinity]) {
      expect(() => readDraft({ ...draft, lifetimeSeconds })).toThrow("within 3660 days");
    }
  });
});
