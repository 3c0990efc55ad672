import { FIND_LIMITS } from "#documents/find/limits.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const seer = { email: "ada@acme.example", directoryGroups: [] };

function found(query: string, bodies: Readonly<Record<string, string>>, narrow = FIND_LIMITS.narrow): string[] {
  const world = new World({ ...FIND_LIMITS, narrow });
  for (const [id, body] of Object.entries(bodies)) putDocument(world.store, aDocument(id, { body }), 1, 0);
  return world.all(seer, { query });
}

describe("a question of several sentences", () => {
  const joining = "Is there what we would have been told about it if you were to do this? ".repeat(6);

  it("is searched by the words at its end, however many joining words come before", () => {
    const bodies = { wanted: "The elasticity of rope.", other: "A history of knots." };
    expect(found(`${joining} I mean the elasticity `, bodies)).toEqual(["wanted"]);
  });

  it("with more words than a search looks for is searched by those that it repeats, and by the longest", () => {
    const short = Array.from({ length: 60 }, (_, at) => `w${at}`).join(" ");
    const bodies = { repeated: "sag", longest: "extensibility", short: "w59" };
    expect(found(`${short} sag. extensibility, and sag `, bodies).toSorted()).toEqual(["longest", "repeated"]);
  });

  it.each([FIND_LIMITS.narrow, 0])("is about what it repeats (%i weighed)", (narrow) => {
    const bodies = { moisture: "Moisture of rope.", elasticity: "Elasticity of rope.", older: "Old rope, old hemp." };
    const first = (query: string) => found(query, bodies, narrow)[0];
    expect(first("How does moisture change a rope? Is elasticity lost, and does elasticity return? ")).toBe(
      "elasticity",
    );
    expect(first("How does moisture change a rope? Is elasticity lost, and does moisture stay? ")).toBe("moisture");
  });
});

describe("words as languages join them", () => {
  it.each([
    ["1500", "costs 1,500.00 euros"],
    ["1.500", "costs 1,500.00 euros"],
    ["1'500", "kostet 1.500 Euro"],
    ["l'imprimante ", "le choix d'imprimante"],
    ["jusqu'à l’écran ", "un écran"],
    ["dell'archivio ", "un archivio"],
  ])("are found by %j in %j", (query, body) => {
    expect(found(query, { wanted: body, other: "rock 'n' roll of 15 or 500" })[0]).toBe("wanted");
  });
});
