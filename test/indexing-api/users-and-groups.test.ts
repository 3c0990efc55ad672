import type { InstanceRecord } from "#instance/instances.ts";
import { readGroups } from "#people/directory-claims.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { Directory, getDocuments } from "../support/directory.ts";
import { rowsIn } from "../support/documents.ts";
import { env } from "../support/isolate.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, travel } from "../support/world.ts";

const PEOPLE = ["ben", "carla", "farid"] as const;

let instance: InstanceRecord;
let pipeline: Pipeline;
let wiki: Directory;
const tokens: Record<string, string> = {};
let documents = 0;

beforeAll(async () => {
  instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
  wiki = new Directory(pipeline);
  for (const name of PEOPLE) {
    tokens[name] = await issueClientApiToken(instance, `${name}@acme.example`, "SEARCH", "DOCUMENTS");
  }
});

/** Sets the groups that the directory had for somebody at their last sign-in. */
async function directoryGroups(name: string, ...groups: string[]): Promise<void> {
  await env.DB.prepare("UPDATE people SET directory_groups = ?1 WHERE email = ?2")
    .bind(JSON.stringify(readGroups(groups)), `${name}@acme.example`)
    .run();
  // An isolate remembers the directory's groups for at most ten seconds.
  travel(11);
}

/** Indexes a document with these permissions, and returns its id, which is also the word that finds it. */
async function share(permissions: object, datasource = "wiki"): Promise<string> {
  documents += 1;
  const id = `document${documents}`;
  await pipeline.index(draft(id, { title: id, datasource, permissions }));
  return id;
}

/** Returns who sees a document: by search, by its id, and by `checkdocumentaccess`. All three must agree. */
async function readersOf(id: string, directory = wiki): Promise<string[]> {
  const readers: string[] = [];
  const key = `${directory.datasource}:${id}`;
  for (const name of PEOPLE) {
    const token = tokens[name] ?? "";
    const bySearch = (await found(token, id)).includes(id);
    const answer = await getDocuments(token, { documentSpecs: [{ id: key }] });
    const { documents: byId } = await answer.json<{ documents: Record<string, object> }>();
    const byCheck = await directory.hasAccess(id, `${name}@acme.example`);
    expect({ name, byId: "id" in (byId[key] ?? {}), byCheck }).toEqual({ name, byId: bySearch, byCheck: bySearch });
    if (bySearch) readers.push(name);
  }
  return readers;
}

describe("users and groups of a datasource", () => {
  it("give a group the users that its pipeline names by the datasource's ids, from the next search on", async () => {
    await wiki.user("U1", "Ben@acme.example");
    await wiki.user("u1", "carla@acme.example");
    await wiki.group("writers", ["U1"]);
    const id = await share({ allowedGroups: ["Writers"] });
    expect(await readersOf(id)).toEqual(["ben"]);
    await wiki.act("indexmembership", { membership: { groupName: "WRITERS", memberUserId: "u1" } });
    expect(await readersOf(id)).toEqual(["ben", "carla"]);
    await wiki.act("deletemembership", { membership: { groupName: "writers", memberUserId: "U1" } });
    expect(await readersOf(id)).toEqual(["carla"]);
  });

  it("can change memberships without writing documents", async () => {
    await wiki.group("still", ["ben@acme.example"]);
    await share({ allowedGroups: ["still"] });
    const all = async () =>
      JSON.stringify(await rowsIn(instance, "SELECT id, access_class, generation, indexed_at FROM documents"));
    const before = await all();
    await wiki.group("still", ["carla@acme.example"]);
    await wiki.act("deletegroup", { groupName: "still" });
    expect(await all()).toBe(before);
  });

  it("may have an email as a member, if the datasource has no user with that id", async () => {
    await wiki.group("by-email", ["Carla@Acme.Example"]);
    const id = await share({ allowedGroups: ["by-email"] });
    expect(await readersOf(id)).toEqual(["carla"]);
    // From now on, that id belongs to somebody else according to the datasource.
    await wiki.user("carla@acme.example", "farid@acme.example");
    expect(await readersOf(id)).toEqual(["farid"]);
    await wiki.act("deleteuser", { userId: "carla@acme.example" });
    expect(await readersOf(id)).toEqual([]);
  });

  it("don't include an inactive user in any group or the datasource, but permissions by name still apply", async () => {
    const crm = new Directory(pipeline, "crm");
    await crm.user("7", "ben@acme.example", false);
    await crm.group("sales", ["7"]);
    const byGroup = await share({ allowedGroups: ["sales"] }, "crm");
    const byDatasource = await share({ allowAllDatasourceUsersAccess: true }, "crm");
    const byName = await share({ allowedUsers: [{ email: "ben@acme.example" }] }, "crm");
    const readers = async () => [
      await readersOf(byGroup, crm),
      await readersOf(byDatasource, crm),
      await readersOf(byName, crm),
    ];
    expect(await readers()).toEqual([[], [], ["ben"]]);
    await crm.user("7", "ben@acme.example");
    expect(await readers()).toEqual([["ben"], ["ben"], ["ben"]]);
    await crm.act("deleteuser", { email: "ben@acme.example" });
    expect(await readers()).toEqual([[], [], ["ben"]]);
  });

  it("lose all users with an email when it is deleted, even hundreds", async () => {
    const crm = new Directory(pipeline, "many");
    const users = Array.from({ length: 310 }, (_, at) => ({
      userId: `m${at}`,
      email: "ben@acme.example",
      name: "Ben",
    }));
    const page = { uploadId: "u", isFirstPage: true, isLastPage: true, datasource: "many", users };
    expect((await pipeline.post("/api/index/v1/bulkindexusers", page)).status).toBe(200);
    await crm.group("sales", ["m309"]);
    const byGroup = await share({ allowedGroups: ["sales"] }, "many");
    const byDatasource = await share({ allowAllDatasourceUsersAccess: true }, "many");
    const readers = async () => [await readersOf(byGroup, crm), await readersOf(byDatasource, crm)];
    expect((await readers())[1]).toEqual(["ben"]);
    await crm.act("deleteuser", { email: "ben@acme.example" });
    expect(await readers()).toEqual([[], []]);
  });

  it("include all users of one datasource, and none of another", async () => {
    const [one, other] = [new Directory(pipeline, "one"), new Directory(pipeline, "other")];
    await one.user("a", "ben@acme.example");
    await other.user("a", "carla@acme.example");
    expect(await readersOf(await share({ allowAllDatasourceUsersAccess: true }, "one"), one)).toEqual(["ben"]);
    expect(await readersOf(await share({ allowAllDatasourceUsersAccess: true }, "other"), other)).toEqual(["carla"]);
  });

  it("are separate for groups with the same name in two datasources", async () => {
    const [one, other] = [new Directory(pipeline, "one"), new Directory(pipeline, "other")];
    await one.group("admins", ["ben@acme.example"]);
    await other.group("admins", ["carla@acme.example"]);
    expect(await readersOf(await share({ allowedGroups: ["admins"] }, "one"), one)).toEqual(["ben"]);
    expect(await readersOf(await share({ allowedGroups: ["admins"] }, "other"), other)).toEqual(["carla"]);
  });

  it("don't include an inactive user by email or by the directory either", async () => {
    const erp = new Directory(pipeline, "erp");
    await directoryGroups("ben", "clerks");
    await erp.group("by-address", ["ben@acme.example"]);
    await erp.group("by-directory", [], ["clerks"]);
    await erp.group("above", [], ["by-address", "by-directory"]);
    const ids = await Promise.all(
      ["by-address", "by-directory", "above"].map((group) => share({ allowedGroups: [group] }, "erp")),
    );
    const readers = () => Promise.all(ids.map((id) => readersOf(id, erp)));
    expect(await readers()).toEqual([["ben"], ["ben"], ["ben"]]);
    await erp.user("B1", "ben@acme.example", false);
    expect(await readers()).toEqual([[], [], []]);
    // A group that the datasource only names is the directory's, with the directory's members.
    expect(await readersOf(await share({ allowedGroups: ["clerks"] }, "erp"), erp)).toEqual(["ben"]);
    // Of two users with one email, it is enough that one is active.
    await erp.user("B2", "ben@acme.example");
    expect(await readers()).toEqual([["ben"], ["ben"], ["ben"]]);
  });

  it("don't include a user deleted by id by their email either, unless another user has that email", async () => {
    const hr = new Directory(pipeline, "hr");
    await hr.user("B1", "ben@acme.example");
    await hr.user("B2", "ben@acme.example");
    await hr.group("staff", ["ben@acme.example"]);
    const id = await share({ allowedGroups: ["staff"] }, "hr");
    await hr.act("deleteuser", { userId: "B1" });
    expect(await readersOf(id, hr)).toEqual(["ben"]);
    await hr.act("deleteuser", { userId: "B2" });
    expect(await readersOf(id, hr)).toEqual([]);
    // An email that is another user's id is that user's membership.
    await hr.user("C1", "ben@acme.example");
    await hr.user("ben@acme.example", "carla@acme.example");
    await hr.group("staff", ["ben@acme.example"]);
    await hr.act("deleteuser", { userId: "C1" });
    expect(await readersOf(id, hr)).toEqual(["carla"]);
  });

  it("don't take an id that only looks like somebody's email for theirs", async () => {
    const kim = "kim@acme.example";
    await wiki.group("kelvins", ["\u212aim@acme.example"]);
    const id = await share({ allowedGroups: ["kelvins"] });
    expect(await wiki.hasAccess(id, kim)).toBe(false);
    await wiki.group("kelvins", ["KIM@acme.example"]);
    expect(await wiki.hasAccess(id, kim)).toBe(true);
  });

  it("compare names of groups regardless of case and composition", async () => {
    await wiki.group("U\u0308BERSICHT Finanz", ["ben@acme.example"]);
    expect(await readersOf(await share({ allowedGroups: ["übersicht FINANZ"] }))).toEqual(["ben"]);
  });

  it("distinguish groups whose names only look alike, including the directory's", async () => {
    await wiki.group("finanz");
    await wiki.group("ﬁnanz", ["ben@acme.example"]);
    const id = await share({ allowedGroups: ["finanz"] });
    expect(await readersOf(id)).toEqual([]);
    await wiki.act("indexmembership", { membership: { groupName: "finanz", memberGroupName: "ｆinanz" } });
    await directoryGroups("carla", "ﬁnanz", "ｆｉｎａｎｚ", "ｒevision");
    expect(await readersOf(id)).toEqual([]);
    expect(await readersOf(await share({ allowedGroups: ["revision"] }))).toEqual([]);
    expect(await readersOf(await share({ allowedGroups: ["ＲEVISION".replace("Ｒ", "ｒ")] }))).toEqual(["carla"]);
  });
});

describe("nested groups", () => {
  it("pass their members up, to any depth, until the chain is broken", async () => {
    for (let depth = 0; depth < 24; depth += 1) {
      await wiki.group(
        `deep-${depth}`,
        depth === 0 ? ["ben@acme.example"] : [],
        depth === 0 ? [] : [`deep-${depth - 1}`],
      );
    }
    const top = await share({ allowedGroups: ["deep-23"] });
    expect(await readersOf(top)).toEqual(["ben"]);
    await wiki.act("deletemembership", { membership: { groupName: "deep-12", memberGroupName: "deep-11" } });
    expect(await readersOf(top)).toEqual([]);
    expect(await readersOf(await share({ allowedGroups: ["deep-11"] }))).toEqual(["ben"]);
  });

  it("do not pass members down", async () => {
    await wiki.group("inner");
    await wiki.group("outer", ["ben@acme.example"], ["inner"]);
    expect(await readersOf(await share({ allowedGroups: ["inner"] }))).toEqual([]);
  });

  it("pass members up only in their own datasource, whatever another one calls its groups", async () => {
    const [one, other] = [new Directory(pipeline, "one"), new Directory(pipeline, "other")];
    await one.group("crew", ["ben@acme.example"]);
    await other.group("crew", ["carla@acme.example"]);
    await other.group("everybody-aboard", [], ["crew"]);
    expect(await readersOf(await share({ allowedGroups: ["everybody-aboard"] }, "other"), other)).toEqual(["carla"]);
  });

  it("may go in a circle", async () => {
    await wiki.group("ring-a", ["ben@acme.example"]);
    await wiki.group("ring-b", [], ["ring-a"]);
    await wiki.group("ring-a", [], ["ring-b", "ring-a"]);
    for (const name of ["ring-a", "ring-b"])
      expect(await readersOf(await share({ allowedGroups: [name] }))).toEqual(["ben"]);
  });
});

describe("somebody in thousands of groups", () => {
  it("can search, and sees what each of the first five thousand may see", async () => {
    const numbers = "WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 4900)";
    for (const into of [
      "datasource_groups (datasource, name) SELECT 'big', 'g' || at",
      "memberships (datasource, member_kind, member, group_name) SELECT 'big', 'user', 'farid@acme.example', 'g' || at",
      "principals (kind, datasource, name) SELECT 'group', 'big', 'g' || at",
    ]) {
      await rowsIn(instance, `${numbers} INSERT INTO ${into} FROM n`);
    }
    const big = new Directory(pipeline, "big");
    // Rows alone don't tell searches that rights changed, but a call does.
    await big.group("g1", ["farid@acme.example"]);
    expect(await readersOf(await share({ allowedGroups: ["g4900"] }, "big"), big)).toEqual(["farid"]);
    expect(await readersOf(await share({ allowedGroups: ["g4901"] }, "big"), big)).toEqual([]);
    await rowsIn(instance, "DELETE FROM memberships WHERE datasource = 'big'");
  });
});

describe("groups of the directory", () => {
  it("have the directory's members until a pipeline describes a group with that name", async () => {
    await directoryGroups("ben", "Engineering");
    const id = await share({ allowedGroups: ["engineering"] });
    expect(await readersOf(id)).toEqual(["ben"]);
    await wiki.group("engineering", ["carla@acme.example"]);
    expect(await readersOf(id)).toEqual(["carla"]);
    const elsewhere = new Directory(pipeline, "elsewhere");
    expect(await readersOf(await share({ allowedGroups: ["engineering"] }, "elsewhere"), elsewhere)).toEqual(["ben"]);
  });

  it("don't replace a deleted group of a pipeline while a document names it, so it has no members", async () => {
    await directoryGroups("farid", "board");
    await wiki.group("board", ["ben@acme.example"]);
    const id = await share({ allowedGroups: ["board"] });
    await wiki.act("deletegroup", { groupName: "board" });
    expect(await readersOf(id)).toEqual([]);
    const response = await pipeline.post("/api/index/v1/indexmembership", {
      datasource: "wiki",
      membership: { groupName: "board", memberUserId: "ben@acme.example" },
    });
    expect(response.status).toBe(404);
    await wiki.group("board");
    expect(await readersOf(id)).toEqual([]);
  });

  it("may be members of a described group", async () => {
    await directoryGroups("carla", "Controllers");
    await wiki.group("readers", [], ["controllers"]);
    const id = await share({ allowedGroups: ["readers"] });
    expect(await readersOf(id)).toEqual(["carla"]);
    // Once described, it has the pipeline's members here too.
    await wiki.group("controllers", ["ben@acme.example"]);
    expect(await readersOf(id)).toEqual(["ben"]);
  });
});

describe("intersections of groups", () => {
  it("need all of their groups, however somebody is in them", async () => {
    await directoryGroups("ben", "staff");
    await directoryGroups("carla", "staff");
    await wiki.group("project", ["ben@acme.example", "farid@acme.example"]);
    await wiki.group("program", [], ["project"]);
    const id = await share({ allowedGroupIntersections: [{ requiredGroups: ["Program", "staff"] }] });
    expect(await readersOf(id)).toEqual(["ben"]);
    await wiki.act("deletemembership", { membership: { groupName: "project", memberUserId: "ben@acme.example" } });
    expect(await readersOf(id)).toEqual([]);
  });

  it("of one group are that group, and a repeated name counts once", async () => {
    await wiki.group("only", ["carla@acme.example"]);
    expect(await readersOf(await share({ allowedGroupIntersections: [{ requiredGroups: ["only", "ONLY"] }] }))).toEqual(
      ["carla"],
    );
  });

  it("are alternatives to each other and to everything else", async () => {
    await wiki.group("x", ["ben@acme.example", "carla@acme.example"]);
    await wiki.group("y", ["ben@acme.example"]);
    await wiki.group("z", ["carla@acme.example"]);
    const permissions = {
      allowedGroupIntersections: [{ requiredGroups: ["x", "y"] }, { requiredGroups: ["x", "z"] }],
      allowedUsers: [{ email: "farid@acme.example" }],
    };
    expect(await readersOf(await share(permissions))).toEqual(["ben", "carla", "farid"]);
    expect(await readersOf(await share({ allowedGroupIntersections: [{ requiredGroups: ["y", "z"] }] }))).toEqual([]);
  });

  it("don't include groups of other datasources", async () => {
    const other = new Directory(pipeline, "other");
    await wiki.group("left", ["ben@acme.example"]);
    await wiki.group("right", ["carla@acme.example"]);
    await other.group("right", ["ben@acme.example"]);
    expect(
      await readersOf(await share({ allowedGroupIntersections: [{ requiredGroups: ["left", "right"] }] })),
    ).toEqual([]);
  });
});

describe("invalid calls about users, groups and permissions", () => {
  const refused: [call: string, body: object, member: string][] = [
    ["indexuser", { user: { userId: "x" } }, "user.email"],
    ["indexuser", { user: { email: "nobody" } }, "user.email"],
    ["indexuser", { user: { email: "\u212aim@acme.example" } }, "user.email"],
    ["indexuser", { user: { email: "ben\u200b@acme.example" } }, "user.email"],
    [
      "updatepermissions",
      { id: "a", permissions: { allowedUsers: [{ email: "\u212aim@b" }] } },
      "permissions.allowedUsers[0].email",
    ],
    ["indexuser", { user: { email: "a@b", isActive: "yes" } }, "user.isActive"],
    ["indexuser", {}, "user"],
    ["deleteuser", {}, "request"],
    ["deleteuser", { email: "a@b", userId: "a" }, "request"],
    ["indexgroup", { group: {} }, "group"],
    ["indexgroup", { group: { name: "" } }, "group.name"],
    ["indexgroup", { group: { name: "x".repeat(201) } }, "group.name"],
    ["indexgroup", { group: { name: "a\u0000b" } }, "group.name"],
    ["deletegroup", { groupName: 7 }, "groupName"],
    ["indexmembership", { membership: { groupName: "x" } }, "membership"],
    ["indexmembership", { membership: { groupName: "x", memberUserId: "a", memberGroupName: "b" } }, "membership"],
    ["indexmembership", { membership: { memberUserId: "a" } }, "membership.groupName"],
    ["deletemembership", { membership: null }, "membership"],
    ["updatepermissions", { id: "a" }, "permissions"],
    ["checkdocumentaccess", { docId: "a", userEmail: "ben" }, "userEmail"],
    ["checkdocumentaccess", { userEmail: "ben@acme.example" }, "docId"],
    ["deletedocument", {}, "id"],
  ];

  it.each(refused)("get a 400: %s %j names %s", async (call, body, member) => {
    const response = await pipeline.post(`/api/index/v1/${call}`, { datasource: "wiki", ...body });
    const { error, message } = await readRefusal(response);
    expect([response.status, error, message.split(" ")[0]]).toEqual([400, "bad_request", member]);
  });

  it.each(refused)("of %s get only a 401 without a token for the datasource", async (call, body) => {
    const stranger = await Pipeline.of(instance, "documents:elsewhere");
    const response = await stranger.post(`/rest/api/index/${call}`, { datasource: "wiki", ...body });
    expect([response.status, (await readRefusal(response)).error]).toEqual([401, "invalid_token"]);
  });

  it("include a membership of a group that is not described: it gets a 404 and describes nothing", async () => {
    await directoryGroups("ben", "undescribed");
    const id = await share({ allowedGroups: ["undescribed"] });
    const membership = { groupName: "Undescribed", memberUserId: "carla@acme.example" };
    const response = await pipeline.post("/api/index/v1/indexmembership", { datasource: "wiki", membership });
    expect([response.status, (await readRefusal(response)).error]).toEqual([404, "not_found"]);
    expect(await readersOf(id)).toEqual(["ben"]);
  });

  it("don't include repeated ones", async () => {
    for (let time = 0; time < 2; time += 1) {
      await wiki.user("twice", "ben@acme.example");
      await wiki.group("twice", ["twice"], ["other"]);
    }
    for (let time = 0; time < 2; time += 1) {
      await wiki.act("deletemembership", { membership: { groupName: "twice", memberUserId: "twice" } });
      await wiki.act("deletegroup", { groupName: "twice" });
      await wiki.act("deleteuser", { userId: "twice" });
      await wiki.act("deletedocument", { objectType: "Document", id: "twice" });
    }
  });
});
