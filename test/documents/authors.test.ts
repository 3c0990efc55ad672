import { putDocument } from "#documents/write/documents.ts";
import { expect, it } from "vitest";
import { aDocument, World } from "./world.ts";

const EVERYONE = { kind: "everyone", datasource: "", name: "" } as const;
const SOMEBODY_ELSE = { kind: "person", datasource: "", name: "zoe@acme.example" } as const;
const seer = { email: "ben@acme.example", directoryGroups: [] };

const AUTHORS = [
  ["marlow", "Ada Marlow", "a.marlow@acme.example"],
  ["lovelace", "Ada Lovelace", null],
  ["ben", "Ben", "ben.ada@acme.example"],
  ["sara", "Sara Adams", "sara@ada.example"],
  ["umlaut", "Jürgen Weiß", null],
] as const;

const world = new World();
for (const [id, authorName, authorEmail] of AUTHORS) {
  putDocument(world.store, aDocument(id, { authorName, authorEmail, principals: [EVERYONE] }), 1, 0);
}
const hidden = { authorName: "Ada Hidden", authorEmail: null, principals: [SOMEBODY_ELSE] };
putDocument(world.store, aDocument("hidden", hidden), 1, 0);

it.each([
  ["from:ada", ["ben", "lovelace", "marlow"]],
  ["from:Marlow", ["marlow"]],
  ["from:ada.marlow", ["marlow"]],
  ["from:a.marlow@acme.example", ["marlow"]],
  ["from:juergen", []],
  ["from:jurgen", ["umlaut"]],
  ["from:acme", []],
  ["from:hidden", []],
  ['from:"Ada"', []],
  ['from:"ada marlow"', ["marlow"]],
])("%s finds what people with this name wrote, by words of it unless it is in quotes", (query, ids) => {
  expect(world.all(seer, { query }).sort()).toEqual(ids);
});

it("-from:ada leaves them out", () => {
  expect(world.all(seer, { query: "type:page -from:ada" }).sort()).toEqual(["sara", "umlaut"]);
});
