import { FIND_LIMITS } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const SEER = { email: "ada@acme.example", directoryGroups: [] };

/** Makes an instance whose searches read the text of a single document. */
function worldOf(bodies: Readonly<Record<string, string>>): World {
  const world = new World({ ...FIND_LIMITS, checked: 1 });
  for (const [id, body] of Object.entries(bodies)) putDocument(world.store, aDocument(id, { body }), 1, 0);
  return world;
}

describe("a search for words in sequence in more documents than it checks", () => {
  const bodies = { short: "node.js", long: "node.js for a server that never sleeps", apart: "js of a node" };

  it("finds documents that weren't checked, if the words weren't in quotes", () => {
    expect(worldOf(bodies).all(SEER, { query: "node.js " })).toEqual(["short", "apart", "long"]);
  });

  it("leaves out documents that weren't checked, if the words were in quotes", () => {
    expect(worldOf(bodies).all(SEER, { query: '"node js"' })).toEqual(["short"]);
  });
});
