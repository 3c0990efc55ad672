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

/** What the directory said of somebody at their last sign-in. */
async function directoryGroups(name: string, ...groups: string[]): Promise<void> {
  await env.DB.prepare("UPDATE people SET directory_groups = ?1 WHERE email = ?2")
    .bind(JSON.stringify(readGroups(groups)), `${name}@acme.example`)
    .run();
  // What an isolate remembers of the directory is at most ten seconds old.
  travel(11);
}

/** Indexes a document with these permissions; its id, which is also the word that finds it. */
async function share(permissions: object, datasource = "wiki"): Promise<string> {
  documents += 1;
  const id = `document${documents}`;
  await pipeline.index(draft(id, { title: id, datasource, permissions }));
  return id;
}

/** Who sees a document: by search, by its id, and as the pipeline is told; all three must agree. */
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
  it("a group has the users that its pipeline names, by the datasource's ids, from the next search on", async () => {
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

  it("a membership change rewrites no document", async () => {
    await wiki.group("still", ["ben@acme.example"]);
    await share({ allowedGroups: ["still"] });
    const all = async () =>
      JSON.stringify(await rowsIn(instance, "SELECT id, class, generation, indexed_at FROM documents"));
    const before = await all();
    await wiki.group("still", ["carla@acme.example"]);
    await wiki.act("deletegroup", { groupName: "still" });
    expect(await all()).toBe(before);
  });

  it("a member may be an email, where the datasource has no user of that id", async () => {
    await wiki.group("by-email", ["Carla@Acme.Example"]);
    const id = await share({ allowedGroups: ["by-email"] });
    expect(await readersOf(id)).toEqual(["carla"]);
    // From now on that id is somebody else's, as the datasource says.
    await wiki.user("carla@acme.example", "farid@acme.example");
    expect(await readersOf(id)).toEqual(["farid"]);
    await wiki.act("deleteuser", { userId: "carla@acme.example" });
    expect(await readersOf(id)).toEqual([]);
  });

  it("a user who is not active is in no group and no datasource, and still is who they are", async () => {
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

  it("all users of a datasource are of that datasource alone", async () => {
    const [one, other] = [new Directory(pipeline, "one"), new Directory(pipeline, "other")];
    await one.user("a", "ben@acme.example");
    await other.user("a", "carla@acme.example");
    expect(await readersOf(await share({ allowAllDatasourceUsersAccess: true }, "one"), one)).toEqual(["ben"]);
    expect(await readersOf(await share({ allowAllDatasourceUsersAccess: true }, "other"), other)).toEqual(["carla"]);
  });

  it("groups of one name in two datasources are two groups", async () => {
    const [one, other] = [new Directory(pipeline, "one"), new Directory(pipeline, "other")];
    await one.group("admins", ["ben@acme.example"]);
    await other.group("admins", ["carla@acme.example"]);
    expect(await readersOf(await share({ allowedGroups: ["admins"] }, "one"), one)).toEqual(["ben"]);
    expect(await readersOf(await share({ allowedGroups: ["admins"] }, "other"), other)).toEqual(["carla"]);
  });

  it("a user who is not active is in no group by email or by the directory either", async () => {
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
    // A group that the datasource only names is the directory's, and who is in it the directory says.
    expect(await readersOf(await share({ allowedGroups: ["clerks"] }, "erp"), erp)).toEqual(["ben"]);
    // Of two users with one email it is enough that one is active.
    await erp.user("B2", "ben@acme.example");
    expect(await readers()).toEqual([["ben"], ["ben"], ["ben"]]);
  });

  it("a user who is deleted by id is in no group by email either, unless another user has that email", async () => {
    const hr = new Directory(pipeline, "hr");
    await hr.user("B1", "ben@acme.example");
    await hr.user("B2", "ben@acme.example");
    await hr.group("staff", ["ben@acme.example"]);
    const id = await share({ allowedGroups: ["staff"] }, "hr");
    await hr.act("deleteuser", { userId: "B1" });
    expect(await readersOf(id, hr)).toEqual(["ben"]);
    await hr.act("deleteuser", { userId: "B2" });
    expect(await readersOf(id, hr)).toEqual([]);
    // An email that is the id of another user is that user's membership.
    await hr.user("C1", "ben@acme.example");
    await hr.user("ben@acme.example", "carla@acme.example");
    await hr.group("staff", ["ben@acme.example"]);
    await hr.act("deleteuser", { userId: "C1" });
    expect(await readersOf(id, hr)).toEqual(["carla"]);
  });

  it("an id that only looks like somebody's email is not theirs", async () => {
    const kim = "kim@acme.example";
    await wiki.group("kelvins", ["\u212aim@acme.example"]);
    const id = await share({ allowedGroups: ["kelvins"] });
    expect(await wiki.hasAccess(id, kim)).toBe(false);
    await wiki.group("kelvins", ["KIM@acme.example"]);
    expect(await wiki.hasAccess(id, kim)).toBe(true);
  });

  it("names of groups compare in any case, composed or not", async () => {
    await wiki.group("U\u0308BERSICHT Finanz", ["ben@acme.example"]);
    expect(await readersOf(await share({ allowedGroups: ["übersicht FINANZ"] }))).toEqual(["ben"]);
  });

  it("names of groups that merely look alike are two groups, the directory's too", async () => {
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

describe("groups that nest", () => {
  it("pass their members up, to any depth, and end with the chain", async () => {
    for (let depth = 0; depth < 60; depth += 1) {
      await wiki.group(
        `deep-${depth}`,
        depth === 0 ? ["ben@acme.example"] : [],
        depth === 0 ? [] : [`deep-${depth - 1}`],
      );
    }
    const top = await share({ allowedGroups: ["deep-59"] });
    expect(await readersOf(top)).toEqual(["ben"]);
    await wiki.act("deletemembership", { membership: { groupName: "deep-30", memberGroupName: "deep-29" } });
    expect(await readersOf(top)).toEqual([]);
    expect(await readersOf(await share({ allowedGroups: ["deep-29"] }))).toEqual(["ben"]);
  });

  it("do not pass members down", async () => {
    await wiki.group("inner");
    await wiki.group("outer", ["ben@acme.example"], ["inner"]);
    expect(await readersOf(await share({ allowedGroups: ["inner"] }))).toEqual([]);
  });

  it("do so in their own datasource alone, whatever another one calls its groups", async () => {
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

describe("somebody in very many groups", () => {
  it("is answered, and sees what each of them may see, up to five thousand", async () => {
    const numbers = "WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 4900)";
    for (const into of [
      "datasource_groups (datasource, name) SELECT 'big', 'g' || at",
      "memberships (datasource, member_kind, member, group_name) SELECT 'big', 'user', 'farid@acme.example', 'g' || at",
      "principals (kind, datasource, name) SELECT 'group', 'big', 'g' || at",
    ]) {
      await rowsIn(instance, `${numbers} INSERT INTO ${into} FROM n`);
    }
    const big = new Directory(pipeline, "big");
    // Rows alone tell no search that rights changed; a call does.
    await big.group("g1", ["farid@acme.example"]);
    expect(await readersOf(await share({ allowedGroups: ["g4900"] }, "big"), big)).toEqual(["farid"]);
    expect(await readersOf(await share({ allowedGroups: ["g4901"] }, "big"), big)).toEqual([]);
    await rowsIn(instance, "DELETE FROM memberships WHERE datasource = 'big'");
  });
});

describe("groups of the directory", () => {
  it("are who the directory says, until a pipeline describes a group of that name", async () => {
    await directoryGroups("ben", "Engineering");
    const id = await share({ allowedGroups: ["engineering"] });
    expect(await readersOf(id)).toEqual(["ben"]);
    await wiki.group("engineering", ["carla@acme.example"]);
    expect(await readersOf(id)).toEqual(["carla"]);
    const elsewhere = new Directory(pipeline, "elsewhere");
    expect(await readersOf(await share({ allowedGroups: ["engineering"] }, "elsewhere"), elsewhere)).toEqual(["ben"]);
  });

  it("a described group that is deleted is nobody's, and not the directory's, while a document names it", async () => {
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
  it("are held by whoever holds all of the groups, however they hold them", async () => {
    await directoryGroups("ben", "staff");
    await directoryGroups("carla", "staff");
    await wiki.group("project", ["ben@acme.example", "farid@acme.example"]);
    await wiki.group("program", [], ["project"]);
    const id = await share({ allowedGroupIntersections: [{ requiredGroups: ["Program", "staff"] }] });
    expect(await readersOf(id)).toEqual(["ben"]);
    await wiki.act("deletemembership", { membership: { groupName: "project", memberUserId: "ben@acme.example" } });
    expect(await readersOf(id)).toEqual([]);
  });

  it("of one group are that group; a name twice counts once", async () => {
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

  it("do not reach over datasources", async () => {
    const other = new Directory(pipeline, "other");
    await wiki.group("left", ["ben@acme.example"]);
    await wiki.group("right", ["carla@acme.example"]);
    await other.group("right", ["ben@acme.example"]);
    expect(
      await readersOf(await share({ allowedGroupIntersections: [{ requiredGroups: ["left", "right"] }] })),
    ).toEqual([]);
  });
});

describe("what cannot be taken", () => {
  const refused: [call: string, body: object, member: string][] = [
    ["indexuser", { user: { userId: "x" } }, "user.email"],
    ["indexuser", { user: { email: "nobody" } }, "user.email"],
    ["indexuser", { user: { email: "\u212aim@acme.example" } }, "user.email"],
    ["indexuser", { user: { email: "ben\u200b@acme.example" } }, "user.email"],
    [
      "updatepermissions",
      { id: "a", permissions: { allowedUsers: [{ email: "\u212aim@b" }] } },
      "permissions.allowedUsers.0.email",
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

  it.each(refused)("%s %j is 400 and names %s", async (call, body, member) => {
    const response = await pipeline.post(`/api/index/v1/${call}`, { datasource: "wiki", ...body });
    const { error, message } = await readRefusal(response);
    expect([response.status, error, message.split(" ")[0]]).toEqual([400, "bad_request", member]);
  });

  it.each(refused)("%s: no token for the datasource, no word about the rest", async (call, body) => {
    const stranger = await Pipeline.of(instance, "documents:elsewhere");
    const response = await stranger.post(`/rest/api/index/${call}`, { datasource: "wiki", ...body });
    expect([response.status, (await readRefusal(response)).error]).toEqual([401, "invalid_token"]);
  });

  it("a membership of a group that is not described is 404, and describes nothing", async () => {
    await directoryGroups("ben", "undescribed");
    const id = await share({ allowedGroups: ["undescribed"] });
    const membership = { groupName: "Undescribed", memberUserId: "carla@acme.example" };
    const response = await pipeline.post("/api/index/v1/indexmembership", { datasource: "wiki", membership });
    expect([response.status, (await readRefusal(response)).error]).toEqual([404, "not_found"]);
    expect(await readersOf(id)).toEqual(["ben"]);
  });

  it("everything may be said twice", async () => {
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
