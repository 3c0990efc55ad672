import { servicesOf } from "#services.ts";
import { foldName } from "#protocol/folding.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { AppClient, search } from "../../support/app-client.ts";
import { env } from "../../support/isolate.ts";
import { ObservedIsolate } from "../../support/observed-isolate.ts";
import { draft, found, Pipeline, type SearchAnswer } from "../../support/pipeline.ts";
import { issueClientApiToken, makeInstance, travel } from "../../support/world.ts";

/** In engineering, in finance, in both, and in no group. */
const PEOPLE = ["ben", "carla", "elin", "farid"] as const;
type Name = (typeof PEOPLE)[number];

const tokens = {} as Record<Name, string>;
let app: AppClient;
let pipeline: Pipeline;

/** The most seconds that an isolate remembers a person's groups. */
const REMEMBERED_SECONDS = 10;

beforeAll(async () => {
  const instance = await makeInstance();
  app = await AppClient.registered();
  for (const name of PEOPLE) tokens[name] = (await app.tokens(name)).access_token;
  pipeline = await Pipeline.of(instance);
  const word = { body: { textContent: "The quarterly plan" } };
  await pipeline.index(
    draft("everyone", { ...word, permissions: { allowAnonymousAccess: true } }),
    draft("engineering", { ...word, permissions: { allowedGroups: ["Engineering"] } }),
    draft("finance", { ...word, permissions: { allowedGroups: ["finance"] } }),
    draft("ben-only", { ...word, permissions: { allowedUsers: [{ email: "Ben@ACME.example" }] } }),
    draft("carla-and-engineering", {
      ...word,
      permissions: { allowedUsers: [{ email: "carla@acme.example" }], allowedGroups: ["engineering"] },
    }),
    draft("group-called-like-ben", { ...word, permissions: { allowedGroups: ["ben@acme.example"] } }),
    draft("person-called-like-a-group", {
      ...word,
      permissions: { allowedUsers: [{ email: "finance@acme.example" }] },
    }),
    draft("strangers", {
      ...word,
      permissions: { allowedUsers: [{ email: "zoe@acme.example" }], allowedGroups: ["board"] },
    }),
    draft("nobody", { ...word, permissions: {} }),
  );
});

describe("permissions in search", () => {
  it.each([
    ["ben", ["ben-only", "carla-and-engineering", "engineering", "everyone"]],
    ["carla", ["carla-and-engineering", "everyone", "finance"]],
    ["elin", ["carla-and-engineering", "engineering", "everyone", "finance"]],
    ["farid", ["everyone"]],
  ] as const)("let %s see exactly %j", async (name, ids) => {
    expect(await found(tokens[name], "quarterly plan")).toEqual(ids);
  });

  it("for nobody keep a document from being found by any word of it", async () => {
    await pipeline.index(draft("sealed", { title: "Cormorant", body: { textContent: "petrel" }, permissions: {} }));
    for (const name of PEOPLE)
      for (const query of ["cormorant", "petrel", "sealed"]) {
        expect(await found(tokens[name], query)).toEqual([]);
      }
  });

  it("take effect with the next search after they change", async () => {
    const moved = (permissions: object) => pipeline.index(draft("moved", { title: "Gannet", permissions }));
    await moved({ allowedGroups: ["engineering"] });
    expect([await found(tokens.ben, "gannet"), await found(tokens.carla, "gannet")]).toEqual([["moved"], []]);
    await moved({ allowedGroups: ["finance"] });
    expect([await found(tokens.ben, "gannet"), await found(tokens.carla, "gannet")]).toEqual([[], ["moved"]]);
  });

  it("follow a change of groups at the next sign-in, even for existing tokens", async () => {
    const groupsOfBen = (groups: string[]) =>
      env.DB.prepare("UPDATE people SET directory_groups = ?1 WHERE email = 'ben@acme.example'")
        .bind(JSON.stringify(groups))
        .run();
    await groupsOfBen(["finance"]);
    travel(REMEMBERED_SECONDS);
    expect(await found(tokens.ben, "quarterly plan")).toEqual(["ben-only", "everyone", "finance"]);
    const { access_token } = await app.tokens("ben");
    travel(REMEMBERED_SECONDS);
    const asTheDirectorySays = ["ben-only", "carla-and-engineering", "engineering", "everyone"];
    expect(await found(access_token, "quarterly plan")).toEqual(asTheDirectorySays);
    expect(await found(tokens.ben, "quarterly plan")).toEqual(asTheDirectorySays);
  });

  it("let a deactivated person find nothing, even in an isolate that doesn't know of it yet", async () => {
    const deactivate = (at: number | null) =>
      env.DB.prepare("UPDATE people SET deactivated_at = ?1 WHERE email = 'elin@acme.example'").bind(at).run();
    expect(await found(tokens.elin, "quarterly plan")).toHaveLength(4);
    await deactivate(1);
    // An isolate that doesn't know of it and remembers nothing about her.
    const isolate = new ObservedIsolate();
    const response = await isolate.search(tokens.elin, { query: "quarterly plan" });
    if (response.status === 200) expect((await response.json<SearchAnswer>()).results).toEqual([]);
    else expect(response.status).toBe(401);
    await deactivate(null);
  });

  it("let a service-issued token see what its person sees", async () => {
    const instance = await servicesOf(env).instances.require("acme");
    const token = await issueClientApiToken(instance, "carla@acme.example", "SEARCH");
    expect(await found(token, "quarterly plan")).toEqual(await found(tokens.carla, "quarterly plan"));
  });

  it("apply to somebody whom they named before they first signed in", async () => {
    await pipeline.index(
      draft("early", { title: "Osprey", permissions: { allowedUsers: [{ email: "ada@acme.example" }] } }),
    );
    expect(await found((await app.tokens("ada")).access_token, "osprey")).toEqual(["early"]);
  });

  it("distinguish groups by their letters, in every script and regardless of case", async () => {
    await env.DB.prepare("UPDATE people SET directory_groups = ?1 WHERE email = 'farid@acme.example'")
      .bind(JSON.stringify(["Ärzte", "研究", "R&D 'quoted' \"twice\"", "SALES"].map(foldName)))
      .run();
    const groups = ["ÄRZTE", "研究", "r&d 'quoted' \"twice\"", "Sales", "Ärzt", "研"];
    await pipeline.index(
      ...groups.map((group) => draft(group, { title: "Fulmar", permissions: { allowedGroups: [group] } })),
    );
    travel(REMEMBERED_SECONDS);
    expect(await found(tokens.farid, "fulmar")).toEqual(groups.slice(0, 4).sort());
    await app.tokens("farid");
    travel(REMEMBERED_SECONDS);
    expect(await found(tokens.farid, "fulmar")).toEqual([]);
  });

  it("work for somebody in five hundred groups", async () => {
    const groups = Array.from({ length: 500 }, (_, index) => `team-${index}`);
    await env.DB.prepare("UPDATE people SET directory_groups = ?1 WHERE email = 'farid@acme.example'")
      .bind(JSON.stringify(groups))
      .run();
    for (let at = 0; at < 500; at += 100) {
      await pipeline.index(
        ...groups
          .slice(at, at + 100)
          .map((group) => draft(group, { title: "Skua", permissions: { allowedGroups: [group] } })),
      );
    }
    travel(REMEMBERED_SECONDS);
    expect(await found(tokens.farid, "skua")).toHaveLength(100);
    expect(await found(tokens.ben, "skua")).toEqual([]);
    await app.tokens("farid");
  });
});

describe("another instance", () => {
  it("never sees a document of this one, despite the same people, groups and ids", async () => {
    const origin = "http://other.localhost";
    const other = await makeInstance("other");
    const elsewhere = await AppClient.registered({}, origin);
    const ben = (await elsewhere.tokens("ben")).access_token;
    expect(await found(ben, "quarterly plan", origin)).toEqual([]);
    const theirs = await Pipeline.of(other, "documents:global_scope", origin);
    await theirs.index(
      draft("everyone", { title: "Quarterly plan of the other", permissions: { allowedGroups: ["engineering"] } }),
    );
    expect(await found(ben, "quarterly plan", origin)).toEqual(["everyone"]);
    expect(await found(tokens.ben, "other")).toEqual([]);
    expect(await found(tokens.ben, "quarterly plan")).toHaveLength(4);
  });
});

describe("queries for documents that a person may not see", () => {
  const secrets = ["nobody", "strangers", "finance"];
  const principals = ["p0", "p1", "p2"];

  it.each([
    ...principals,
    ...principals.map((id) => `plan) OR acl:(${id}`),
    "acl:p1",
    "{acl}: p1",
    "acl : p1*",
    "-{acl}:p1",
    'plan" OR acl:"p2',
    '"""',
    '"',
    '"plan',
    "'",
    "\\",
    '\\"',
    "NEAR(plan p2, 5)",
    "plan OR p2",
    "NOT plan",
    "plan NOT quarterly",
    "AND",
    "NOT",
    "*",
    "pl*",
    "^plan",
    "plan:p2",
    "(",
    "(plan",
    "{}",
    "\u0000",
    "plan\u0000) OR acl:(p2",
    "plan\u0002p2\u0003",
    "\ud800",
    "\u202eplan",
    "\u0301",
    "plan; DROP TABLE documents;--",
    "' OR 1=1 --",
    "?1",
    "%",
    "plan' || (SELECT acl FROM documents) || '",
    "x".repeat(2000),
    "(".repeat(2000),
    '"'.repeat(1999),
    "a ".repeat(1000),
    "-a ".repeat(600),
    "rank",
    "rowid:1",
    "😀",
    "- -- ---",
  ])("don't find them: %j", async (query) => {
    for (const name of ["farid", "ben"] as const) {
      const response = await search(tokens[name], { query, pageSize: 100 });
      expect(response.status).toBe(200);
      const text = await response.text();
      for (const id of name === "ben" ? secrets : [...secrets, "engineering"])
        expect(text).not.toContain(`"wiki:${id}"`);
    }
  });

  it("don't find them with other members of the request either", async () => {
    const attempts = [
      { datasourceFilter: "wiki' OR '1'='1" },
      { datasourcesFilter: ["wiki", "x'); DROP TABLE documents; --"] },
      {
        datasourceFilter: "wiki",
        personId: "ada",
        acl: "p1",
        facetFilters: [{ fieldName: "acl", values: [{ value: "p1" }] }],
      },
    ];
    for (const requestOptions of attempts) {
      const response = await search(tokens.farid, { query: "plan", requestOptions, personId: "ada", instanceId: 2 });
      expect(response.status).toBe(200);
      for (const id of [...secrets, "engineering"]) expect(await response.clone().text()).not.toContain(`"wiki:${id}"`);
    }
  });
});
