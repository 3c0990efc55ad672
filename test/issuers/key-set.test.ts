import { IssuerDocuments } from "#issuers/issuer-documents.ts";
import { IssuerKeys, STRANGERS_BYTES_MAX } from "#issuers/issuer-keys.ts";
import { parseKeySet } from "#issuers/key-set.ts";
import { createOutgoingFetch, STRANGERS } from "#platform/outgoing-fetch.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { timeIs } from "../support/time.ts";

const KEY = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "k" };

describe("a key set", () => {
  it("is reduced to the members that select a key and verify signatures", () => {
    const more = { use: "sig", key_ops: ["verify"], x5c: ["MIIC"], pad: [[], []], alg: "ES256" };
    const rsa = { kty: "RSA", n: "AQ", e: "AQAB", kid: "r", x: "of another type" };
    expect(parseKeySet({ keys: [{ ...KEY, ...more }, rsa] })).toEqual([
      { ...KEY, alg: "ES256" },
      { kty: "RSA", n: "AQ", e: "AQAB", kid: "r" },
    ]);
  });

  it.each([
    ["an id that is an object", { kid: {} }],
    ["an algorithm that is a list", { alg: ["ES256"] }],
    ["a coordinate that is a list", { x: [["AA"]] }],
    ["no coordinate", { y: undefined }],
    ["the type of an inherited member", { kty: "constructor" }],
  ])("has no key with %s", (_which, changes) => {
    expect(() => parseKeySet({ keys: [{ ...KEY, ...changes }] })).toThrow("no key that verifies signatures");
  });

  it.each([
    [1999, true],
    [2000, true],
    [2001, false],
  ])("has a key only if its members have no more than 2,000 characters: %d", (characters, isKey) => {
    const rest = Object.values(KEY).join("").length - KEY.x.length;
    const parse = () => parseKeySet({ keys: [{ ...KEY, x: "A".repeat(characters - rest) }] });
    if (isKey) expect(parse()).toHaveLength(1);
    else expect(parse).toThrow("no key that verifies signatures");
  });
});

describe("key sets of clients for which nobody vouches", () => {
  afterEach(() => void vi.unstubAllGlobals());

  /** @param cache `null`: nobody vouches */
  function keysOf(body: string, cache: ConstructorParameters<typeof IssuerKeys>[1]): IssuerKeys {
    vi.stubGlobal("fetch", async () => new Response(body));
    timeIs(() => 1e9);
    return new IssuerKeys(new IssuerDocuments(createOutgoingFetch(false, "refuse", STRANGERS)), cache);
  }

  const ask = (keys: IssuerKeys, number: number, kid = "k") =>
    keys
      .find({ issuer: `client-${number}`, jwksUri: "https://evil.example/jwks" }, kid, "ES256", () => undefined)
      .catch(({ code }: { code: string }) => code);

  it("are refused if they are large, and only as many are remembered as fit, whatever they contain", async () => {
    const set = (keys: unknown, more = "") => `{"keys":${JSON.stringify(keys)}${more}}`;
    const nested = set([KEY], `,"pad":[${"[],".repeat(400)}[]]`);
    const large = set(Array.from({ length: 18 }, (_, at) => ({ ...KEY, kid: `k${at}`, x: "A".repeat(1700) })));
    for (const [body, kid, answer] of [
      [set([KEY], `,"pad":[${"[],".repeat(84_000)}[]]`), "k", "temporarily_unavailable"],
      [set([KEY], `,"pad":[${"[],".repeat(501)}[]]`), "k", "temporarily_unavailable"],
      [set([KEY], `,"pad":"${"x".repeat(STRANGERS.bytesMax)}"`), "k", "temporarily_unavailable"],
      [nested, "k", KEY],
      [large, "k7", expect.objectContaining({ kid: "k7" })],
    ] as const) {
      const keys = keysOf(body, null);
      for (let number = 0; number < 100; number += 1) expect(await ask(keys, number, kid)).toEqual(answer);
      expect(keys.bytes).toBeLessThanOrEqual(STRANGERS_BYTES_MAX);
    }
  });

  it("are stored nowhere; those of others are, without what is not used", async () => {
    const stored: unknown[] = [];
    const cache = { read: async () => null, write: async (_key: string, value: unknown) => void stored.push(value) };
    const body = JSON.stringify({ keys: [{ ...KEY, pad: [[], []] }] });
    await ask(keysOf(body, null), 1);
    expect(stored).toEqual([]);
    await ask(keysOf(body, cache), 1);
    expect(stored).toEqual([expect.objectContaining({ keys: [KEY] })]);
  });
});
