import { AccessClasses } from "#documents/find/access/access-classes.ts";
import type { ContentCondition, IndexableDocument, Seer } from "#documents/engine.ts";
import { adoptGroup, forgetGroup } from "#documents/metadata/groups.ts";
import { settleNext } from "#documents/metadata/settle.ts";
import { putValues } from "#documents/metadata/values.ts";
import { putDocument } from "#documents/write/documents.ts";
import { describe, expect, it } from "vitest";
import { aDocument, searchOf, World } from "./world.ts";

const NOTHING_WANTED = { customData: false, content: false, contentBytesMax: 0 };

const only = (field: string, ...values: string[]): ContentCondition => ({ field, values, isExcluded: false });
const except = (field: string, ...values: string[]): ContentCondition => ({ field, values, isExcluded: true });
const ada = (...content: ContentCondition[]): Seer => ({ email: "ada@acme.example", directoryGroups: [], content });

const TEAM = {
  id: 7,
  name: "hr",
  display: "hr",
  version: 1,
  keys: [
    {
      id: 70,
      name: "team",
      display: "team",
      facetName: "hrteam",
      propertyType: "TEXT",
      skipIndexing: true,
    },
  ],
} as const;

function worldWith(...documents: readonly (Partial<IndexableDocument> & { readonly externalId: string })[]): World {
  const world = new World();
  for (const { externalId, ...more } of documents) put(world, externalId, more);
  return world;
}

function put(world: World, externalId: string, more: Partial<IndexableDocument> = {}): void {
  putDocument(world.store, aDocument(externalId, { title: "plan", ...more }), 1, 0);
}

function describeTeam(world: World, externalId: string, ...team: readonly string[]): void {
  const [datasource] = world.store.exec<{ datasource: string }>(
    "SELECT datasource FROM documents WHERE external_id = ?1",
    externalId,
  );
  const reference = { datasource: datasource?.datasource ?? "", externalId };
  putValues(world.store, reference, TEAM, [{ name: "team", display: "team", isList: false, values: team }]);
}

/** What a search, reads by id and reads by URL return: always the same documents. */
function found(world: World, seer: Seer): readonly string[] {
  const ids = world.all(seer, { query: "plan" }).sort();
  const all = world.store.exec<{ datasource: string; externalId: string; url: string }>(
    "SELECT datasource, external_id AS externalId, url FROM documents ORDER BY external_id",
  );
  const read = world.finder.read(all, seer, NOTHING_WANTED).map(({ externalId }) => externalId);
  expect(read).toEqual(ids);
  for (const name of all) {
    const byUrl = world.finder.read([{ url: name.url }], seer, NOTHING_WANTED);
    expect(byUrl.map(({ externalId }) => externalId)).toEqual(ids.includes(name.externalId) ? [name.externalId] : []);
    const mayBeSeen = ids.includes(name.externalId);
    expect(world.finder.maySee(name.datasource, name.externalId, seer)).toBe(mayBeSeen);
    expect(world.finder.explainAccess(name, seer)).toMatchObject({ isAllowed: mayBeSeen, isWithheld: !mayBeSeen });
  }
  return ids;
}

describe("what an app may search", () => {
  it("is everything without conditions, and otherwise what meets all of them", () => {
    const world = worldWith(
      { externalId: "page", datasource: "wiki" },
      { externalId: "ticket", datasource: "wiki", objectType: "Ticket" },
      { externalId: "salary", datasource: "hr" },
    );
    expect(found(world, ada())).toEqual(["page", "salary", "ticket"]);
    expect(found(world, ada(only("datasource", "wiki")))).toEqual(["page", "ticket"]);
    expect(found(world, ada(only("datasource", "wiki"), except("type", "ticket")))).toEqual(["page"]);
    expect(found(world, ada(except("datasource", "hr", "none")))).toEqual(["page", "ticket"]);
    expect(found(world, ada(only("datasource", "none")))).toEqual([]);
    world.store.close();
  });

  it("follows documents, types and values that come and go, at the next search", () => {
    const world = worldWith({ externalId: "page", datasource: "wiki" }, { externalId: "other", datasource: "hr" });
    adoptGroup(world.store, TEAM);
    const wiki = ada(only("datasource", "wiki"));
    const notPay = ada(except("hrteam", "pay"));
    expect([found(world, wiki), found(world, notPay)]).toEqual([["page"], ["other", "page"]]);
    put(world, "new", { datasource: "wiki", objectType: "A new type" });
    describeTeam(world, "page", "Pay");
    expect([found(world, wiki), found(world, notPay)]).toEqual([
      ["new", "page"],
      ["new", "other"],
    ]);
    describeTeam(world, "page", "Payroll");
    describeTeam(world, "other", "Pay");
    expect(found(world, notPay)).toEqual(["new", "page"]);
    expect(found(world, ada(only("hrteam", "pay", "payroll")))).toEqual(["other", "page"]);
    world.store.close();
  });

  it("is nothing if a condition names a key of custom metadata that doesn't exist, or is removed", () => {
    const world = worldWith({ externalId: "page" });
    const notPay = ada(except("hrteam", "pay"));
    expect(found(world, notPay)).toEqual([]);
    adoptGroup(world.store, TEAM);
    describeTeam(world, "page", "Legal");
    expect(found(world, notPay)).toEqual(["page"]);
    forgetGroup(world.store, "hr", TEAM.id);
    expect(found(world, notPay)).toEqual([]);
    while (!settleNext(world.store));
    expect(found(world, notPay)).toEqual([]);
    world.store.close();
  });

  it("leaves out a value of a document that has more values than filters find", () => {
    const world = worldWith({ externalId: "page", datasource: "wiki" }, { externalId: "other" });
    const notes = { ...TEAM.keys[0], id: 69, name: "notes", display: "notes", facetName: "hrnotes" };
    const group = { ...TEAM, keys: [notes, ...TEAM.keys] };
    adoptGroup(world.store, group);
    const words = Array.from({ length: 1200 }, (_, at) => `w${at}`).join(" ");
    putValues(world.store, { datasource: "wiki", externalId: "page" }, group, [
      { name: "notes", display: "notes", isList: false, values: [words] },
      { name: "team", display: "team", isList: false, values: ["Pay"] },
    ]);
    expect(found(world, ada(except("hrteam", "pay")))).toEqual(["other"]);
    expect(found(world, ada(only("hrteam", "pay")))).toEqual([]);
    world.store.close();
  });

  it("leaves out a type of a datasource with more types than filters find", () => {
    const world = new World();
    for (let at = 0; at < 1000; at++)
      world.store.exec("INSERT INTO kinds (datasource, object_type) VALUES ('wiki', ?1)", `t${at}`);
    put(world, "page", { datasource: "wiki", objectType: "t1" });
    put(world, "secret", { datasource: "wiki", objectType: "Secret" });
    put(world, "salary", { datasource: "hr", objectType: "" });
    expect(found(world, ada(except("type", "secret")))).toEqual(["page", "salary"]);
    expect(found(world, ada(except("type", "t1")))).toEqual(["salary"]);
    world.store.close();
  });

  it("is told apart for one person who searches with several apps in turn", () => {
    const world = worldWith({ externalId: "page", datasource: "wiki" }, { externalId: "salary", datasource: "hr" });
    for (const _ of [1, 2]) {
      expect(found(world, ada(only("datasource", "wiki")))).toEqual(["page"]);
      expect(found(world, ada())).toEqual(["page", "salary"]);
      expect(found(world, ada(except("datasource", "wiki")))).toEqual(["salary"]);
    }
    world.store.close();
  });

  it("never adds to what the person may see", () => {
    const world = worldWith({ externalId: "ben's", datasource: "wiki", principals: [] });
    const wiki = ada(only("datasource", "wiki"));
    expect(world.all(wiki, { query: "plan" })).toEqual([]);
    const explained = world.finder.explainAccess({ datasource: "wiki", externalId: "ben's" }, wiki);
    expect(explained).toMatchObject({ isAllowed: false, isWithheld: false });
    world.store.close();
  });

  it("leaves a document with the same URL that it may search", () => {
    const url = "https://wiki.example/plan";
    const world = worldWith(
      { externalId: "old", datasource: "hr", url },
      { externalId: "new", datasource: "wiki", url },
    );
    const read = world.finder.read([{ url }], ada(except("datasource", "hr")), NOTHING_WANTED);
    expect(read.map(({ externalId }) => externalId)).toEqual(["new"]);
    world.store.close();
  });

  it("costs a person without conditions nothing: their classes stay the same object", () => {
    const world = worldWith({ externalId: "page" });
    const classes = new AccessClasses(world.store);
    expect(classes.of(ada())).toBe(classes.of(ada()));
    world.finder.find(searchOf({ query: "plan" }), ada());
    world.store.close();
  });
});
