import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };
const FILLER = "Something else that nobody asks for. ".repeat(40);

function found(bodies: readonly string[], query: string, textCharacters?: number) {
  const world = new World();
  for (const [id, body] of bodies.entries()) putDocument(world.store, aDocument(String(id), { body }), 1, 0);
  const hidden = aDocument("hidden", { body: "rare badge", principals: [] });
  for (let id = 0; id < 20; id++) putDocument(world.store, { ...hidden, externalId: `hidden ${id}` }, 1, 0);
  return world.page(seer, { query }, textCharacters === undefined ? {} : { textCharacters });
}

describe("the text of a found document", () => {
  it("comes with it only if asked for, and as a whole if it isn't too long", () => {
    const [without] = found([`A badge. ${FILLER}`], "badge").documents;
    const [withText] = found([`A badge. ${FILLER}`], "badge", 5000).documents;
    expect([without?.text, withText?.text]).toEqual([undefined, `A badge. ${FILLER}`]);
  });

  it("is the part around the best passage if it is longer", () => {
    const [document] = found(
      [`${FILLER.repeat(3)}A lost badge is blocked. ${FILLER.repeat(3)}`],
      "lost badge",
      2000,
    ).documents;
    expect(document?.text).toContain("A lost badge is blocked.");
    expect(document?.text?.length).toBeLessThanOrEqual(2000);
  });
});

describe("the words of a search", () => {
  it("weigh more the rarer they are among what the person may see", () => {
    const { wordWeights } = found(["rare badge", "badge", "badge", "other"], "rare badge ");
    expect([...(wordWeights ?? [])].map(([word]) => word)).toEqual(["rare", "badge"]);
    expect(wordWeights?.get("rare")).toBeCloseTo(Math.log(1 + 3.5 / 1.5));
    expect(wordWeights?.get("badge")).toBeCloseTo(Math.log(1 + 1.5 / 3.5));
  });
});
