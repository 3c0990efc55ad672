import { putDocument } from "#documents/write/documents.ts";
import { wordHash, wordHashOf } from "#documents/word-hash.ts";
import { describe, expect, it } from "vitest";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const others = [{ kind: "person", datasource: "", name: "ben@acme.example" }] as const;

/** FNV-1a with a final mix and no key, as anybody can compute it. */
function unkeyed(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}

describe("the hash of a word", () => {
  it("is HalfSipHash-1-3 of its code units", () => {
    const hash = wordHash([0x03020100, 0x07060504]);
    const upTo = (bytes: number) =>
      new TextDecoder("utf-16le").decode(Uint8Array.from({ length: bytes }, (_, at) => at));
    expect([0, 2, 4, 6, 8, 10, 12].map((bytes) => hash(upTo(bytes)))).toEqual([
      0x5814c896, 0xbc4b0e30, 0x7e059ea6, 0xa0080b65, 0x577999b1, 0xe4fa32cf, 0x6b28096c,
    ]);
  });

  it("differs between stores", () => {
    const hashes = Array.from({ length: 8 }, () => wordHashOf(new SqliteStore())("merger"));
    expect(new Set(hashes).size).toBeGreaterThan(1);
  });
});

it("a planted word with the same unkeyed hash tells nobody whether others' documents have a word", () => {
  const twin = "xkebljzaa";
  expect(unkeyed(twin)).toBe(unkeyed("merger"));
  const asked = (hidden: string) => {
    const world = new World();
    putDocument(world.store, aDocument("hidden", { body: hidden, principals: others }), 1, 0);
    putDocument(world.store, aDocument("shown", { body: twin }), 1, 0);
    const found = (query: string) => [world.all(seer, { query }), world.page(seer, { query }).correctedWords];
    return [found("merg"), found("mergers "), found("mergre ")];
  };
  expect(asked("merger")).toEqual(asked("other"));
});
