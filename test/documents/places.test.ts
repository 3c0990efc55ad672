import type { Documents } from "#documents/documents.ts";
import type { DocumentSearch } from "#documents/engine.ts";
import { type Engines, type Placement, Placements } from "#documents/moving/engines.ts";
import { remoteDocuments } from "#documents/remote-documents.ts";
import { beforeEach, describe, expect, it } from "vitest";

const HERE: Placement = { engine: "object", turn: 0 };
const THERE: Placement = { engine: "shards:2", turn: 4 };

/** Where the documents are, according to the database. */
let placement: Placement;
let documents: Documents;

/** Each engine only responds for what is placed in it, with its name and the position that it got. */
const engines = {
  callsOf: (name: string) => {
    const page = (place: string | null) => {
      if (name !== placement.engine) throw new Error("documents_elsewhere: the engine is left");
      return { documents: [], lines: [], next: `${name} after ${place}` };
    };
    return {
      find: async ({ position }: DocumentSearch) => page(position),
      exportPage: async (after: string | null) => page(after),
    };
  },
} as unknown as Engines;

beforeEach(() => {
  placement = HERE;
  documents = isolate();
});

/** Makes another isolate, which knows nothing yet. */
function isolate(): Documents {
  return remoteDocuments(new Placements({ placementOf: async () => placement }), engines);
}

describe.each([
  ["a search", (of: Documents, place: string | null) => of.find(1, { position: place } as DocumentSearch, {} as never)],
  ["a backup", (of: Documents, place: string | null) => of.exportPage(1, place)],
] as const)("a position in %s", (_, pageOf) => {
  it("continues in the engine that gave it", async () => {
    const first = await pageOf(documents, null);
    expect((await pageOf(documents, first.next)).next).toContain("object after object after null");
  });

  it("is refused, with what to do, once the documents are in another engine or came back from it", async () => {
    const first = await pageOf(documents, null);
    for (const moved of [THERE, { ...HERE, turn: 9 }]) {
      placement = moved;
      await expect(pageOf(isolate(), first.next)).rejects.toMatchObject({
        code: "bad_request",
        description: expect.stringContaining("start again at the first page"),
      });
    }
  });

  it("from before a move is refused by an isolate that doesn't know of the move, and one from after it is accepted", async () => {
    const old = (await pageOf(documents, null)).next;
    placement = THERE;
    await expect(pageOf(documents, old)).rejects.toMatchObject({ code: "bad_request" });
    const late = isolate();
    placement = HERE;
    await pageOf(late, null);
    placement = THERE;
    const recent = (await pageOf(isolate(), null)).next;
    expect((await pageOf(late, recent)).next).toContain("shards:2 after shards:2 after null");
  });

  it("that no engine gave is refused", async () => {
    await expect(pageOf(documents, "nothing")).rejects.toMatchObject({ code: "bad_request" });
  });
});
