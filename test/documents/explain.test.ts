import type { Principal, Seer } from "#documents/engine.ts";
import { standingOf } from "#documents/find/access/explain.ts";
import { forgetRights, putDocument } from "#documents/write/documents.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayRead, type ModelWorld } from "../support/search-model.ts";
import { emailOf, NAMES, PEOPLE, world } from "../support/search-worlds.ts";
import { aDocument, DATASOURCE, seerOf, World } from "./world.ts";
import { runs } from "../support/properties.ts";

describe("the explanation of why somebody may see a document", () => {
  it("agrees with the search and with the model about the rules that apply, by existing memberships", () => {
    let ways = 0;
    fc.assert(
      fc.property(world, (model) => {
        const written = World.of(model);
        countMemberships(written);
        for (const name of NAMES) {
          const seer = seerOf(name);
          const found = written.all(seer, { query: "", requestOptions: { datasourceFilter: DATASOURCE } });
          for (const [id, document] of model.documents.entries()) {
            const explained = written.finder.explainAccess({ datasource: DATASOURCE, externalId: String(id) }, seer);
            const { isAllowed, rules = [], ruleCount } = explained ?? {};
            const expected = mayRead(document, model, emailOf(name), PEOPLE[name]);
            const holding = rules.filter(({ isHeld }) => isHeld);
            expect([name, id, isAllowed, found.includes(String(id)), holding.length > 0, ruleCount]).toEqual([
              name,
              id,
              expected,
              expected,
              expected,
              rules.length,
            ]);
            for (const { principal, isHeld, groups } of rules) {
              const isEveryGroupHeld = groups.every(({ source }) => source !== null);
              if (groups.length > 0) expect([principal, isHeld]).toEqual([principal, isEveryGroupHeld]);
              for (const group of groups) if (group.source) expectWay(model, seer, group.name, group.source);
            }
          }
          for (const { name: group, source } of standingOf(written.store, seer).groups) {
            expectWay(model, seer, group, source);
            ways += 1;
          }
        }
        written.store.close();
      }),
      { numRuns: runs(10), endOnFailure: true },
    );
    expect(ways).toBeGreaterThan(0);
  });

  it("is about the document that a URL shows the person, and is missing if no document has the URL", () => {
    const written = new World();
    const ben: Principal = { kind: "person", datasource: "", name: "ben@acme.example" };
    const url = "https://world.example/shared";
    putDocument(written.store, aDocument("hidden", { url, principals: [] }), 1, 0);
    putDocument(written.store, aDocument("shown", { url, principals: [ben] }), 1, 0);
    const explained = (seer: Seer, of = url) => written.finder.explainAccess({ url: of }, seer);
    expect(explained(seerOf("ben"))).toMatchObject({ externalId: "shown", isAllowed: true, ruleCount: 1 });
    expect(explained(seerOf("farid"))).toMatchObject({ externalId: "hidden", isAllowed: false, rules: [] });
    expect(explained(seerOf("ben"), "https://world.example/none")).toBeNull();
    written.store.close();
  });

  it("doesn't count a person whom a datasource set inactive as a member of its groups", () => {
    const written = new World();
    const { store } = written;
    store.exec("INSERT INTO datasource_groups (datasource, name) VALUES (?1, 'editors')", DATASOURCE);
    store.exec("INSERT INTO memberships VALUES (?1, 'user', 'ben@acme.example', 'editors', 0)", DATASOURCE);
    store.exec("INSERT INTO datasource_users VALUES (?1, 'u1', 'ben@acme.example', '', 0, 0)", DATASOURCE);
    countMemberships(written);
    forgetRights(store);
    const principals: Principal[] = [{ kind: "group", datasource: DATASOURCE, name: "editors" }];
    putDocument(store, aDocument("one", { principals }), 1, 0);
    const explained = written.finder.explainAccess({ datasource: DATASOURCE, externalId: "one" }, seerOf("ben"));
    expect(explained).toMatchObject({ isAllowed: false, rules: [{ groups: [{ name: "editors", source: null }] }] });
    expect(standingOf(store, seerOf("ben"))).toEqual({
      datasources: [{ name: DATASOURCE, isActive: false }],
      groups: [],
      groupCount: 0,
    });
    store.close();
  });
});

/** Counts memberships as the Indexing API does when it writes them. */
function countMemberships({ store }: World): void {
  store.exec(
    "INSERT INTO datasources (name, memberships) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET memberships = 1",
    DATASOURCE,
  );
}

type Way = ReturnType<typeof standingOf>["groups"][number]["source"];

/** Expects a path to a group that starts at what the person has, follows memberships and ends at the group. */
function expectWay({ memberships, described }: ModelWorld, seer: Seer, group: string, { by, member, path }: Way): void {
  const [first = "", ...others] = path;
  expect(path.at(-1)).toBe(group);
  const isMember = (kind: string, who: string, of: string) =>
    memberships.some((one) => one.kind === kind && one.member === who && one.group === of);
  const starts =
    by === "directory"
      ? seer.directoryGroups.includes(member) && !described.includes(member)
      : by === "email" && member === seer.email;
  const isThere =
    by === "directory" ? first === member || isMember("group", member, first) : isMember("user", member, first);
  const steps = others.map((next, at) => isMember("group", path[at] ?? "", next));
  expect({ group, by, member, path, starts, isThere, steps }).toEqual({
    group,
    by,
    member,
    path,
    starts: true,
    isThere: true,
    steps: others.map(() => true),
  });
}
