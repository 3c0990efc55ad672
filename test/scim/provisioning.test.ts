import { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import { GROUPS_PER_USER_MAX } from "#directories/directory.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { search } from "../support/app-client.ts";
import { DocumentWorld } from "../support/document-world.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { DirectoryClient } from "../support/scim.ts";
import { makeInstance, send, travel } from "../support/world.ts";
import { audited } from "../support/audited.ts";

let acme: InstanceRecord;
let okta: DirectoryClient;
let world: DocumentWorld;

beforeAll(async () => {
  acme = await makeInstance();
  okta = await DirectoryClient.of(acme);
  world = await DocumentWorld.of(acme);
});

const off = { op: "replace", path: "active", value: false };

/** Returns the audit entries that contain a text, in order; if `event` is given, only of events that start with it. */
async function auditOf(text: string, event?: string) {
  const { items } = await servicesOf(env).audit.list(acme.id, {
    search: text,
    filters: new Map(event === undefined ? [] : [["event", event]]),
    sort: "sequence",
    isDescending: false,
    isBackward: false,
    limit: 10,
    after: null,
  });
  return items.toSorted((a, b) => a.sequence - b.sequence);
}

describe("a directory's decision", () => {
  it("takes effect in another isolate within ten seconds", async () => {
    const other = { ...env };
    const ask = async (token: string) => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      return (await send("/rest/api/v1/search", { method: "POST", headers, body: '{"query":"plan"}' }, other)).status;
    };
    const id = await okta.addUser("leaver@acme.example");
    const token = await world.personToken("leaver@acme.example");
    expect(await ask(token)).toBe(200);
    await okta.patch(`/Users/${id}`, off);
    travel(10);
    expect(await ask(token)).toBe(401);
    expect((await search(token, { query: "plan" })).status).toBe(401);
  });

  it("is in the audit under the directory's name, once", async () => {
    const id = await okta.addUser("audited@acme.example");
    for (const value of [false, false, true]) await okta.patch(`/Users/${id}`, { ...off, value });
    const entries = await auditOf("audited@acme.example", "person_");
    expect(entries.map(({ actor, event, detail }) => [actor, event, detail["deactivated"]])).toEqual([
      ["directory:okta", "person_standing_changed", true],
      ["directory:okta", "person_standing_changed", false],
    ]);
  });

  it("to change an email address is in the audit once", async () => {
    const id = await okta.addUser("maiden@acme.example");
    const renames = ["maiden@acme.example", "married@acme.example", "married@acme.example"].map((userName) => ({
      userName,
      displayName: `Name of ${userName}`,
    }));
    for (const value of renames) await okta.patch(`/Users/${id}`, { op: "replace", value });
    expect(await auditOf("maiden@acme.example", "person_")).toMatchObject([
      {
        actor: "directory:okta",
        event: "person_email_changed",
        detail: { before: "maiden@acme.example", after: "married@acme.example" },
      },
    ]);
  });

  it("can't take the email address of somebody with a role, signed in or not", async () => {
    const id = await okta.addUser("manager@acme.example");
    await servicesOf(env).administrationOf(acme, "test").people.nameRole("manager@acme.example", "app-manager");
    const signIn = "UPDATE people SET sso_issuer = 'https://sso.example', sso_subject = 'manager' WHERE email = ?1";
    await env.DB.prepare(signIn).bind("manager@acme.example").run();
    const rename = { op: "replace", path: "userName", value: "mallory@acme.example" };
    expect(await okta.patch(`/Users/${id}`, rename)).toMatchObject({ status: 400, body: { scimType: "mutability" } });
    expect((await knownPerson(acme, "manager@acme.example")).role).toBe("app-manager");
    const rest = { op: "replace", path: "displayName", value: "Renamed" };
    expect((await okta.patch(`/Users/${id}`, rest)).status).toBe(200);
  });

  it("can't end an owner's access: another owner decides about them", async () => {
    const id = await okta.addUser("owner@acme.example");
    const { people } = servicesOf(env).administrationOf(acme, "test");
    await people.nameRole("owner@acme.example", "owner");
    await people.nameRole("second.owner@acme.example", "owner");
    const token = await world.personToken("owner@acme.example");
    for (const answer of [await okta.patch(`/Users/${id}`, off), await okta.send("DELETE", `/Users/${id}`)]) {
      expect(answer).toMatchObject({ status: 400, body: { scimType: "mutability" } });
    }
    expect(await okta.done("GET", `/Users/${id}`)).toMatchObject({ active: true });
    expect(await world.statusOf(token)).toBe(200);
  });

  it("can't give anybody a role that is waiting for an email", async () => {
    const id = await okta.addUser("waiting@acme.example");
    await servicesOf(env).administrationOf(acme, "test").people.nameRole("waiting@acme.example", "auditor");
    const rename = { op: "replace", path: "userName", value: "mallory@acme.example" };
    expect(await okta.patch(`/Users/${id}`, rename)).toMatchObject({ status: 400, body: { scimType: "mutability" } });
    expect((await knownPerson(acme, "waiting@acme.example")).role).toBe("auditor");
  });

  it("ends with a release: the user is removed, and the email may become anybody's", async () => {
    const id = await okta.addUser("released@acme.example");
    await okta.addGroup("Released", id);
    const { id: personId } = await knownPerson(acme, "released@acme.example");
    await servicesOf(env)
      .administrationOf(acme, "test")
      .people.release(await knownPerson(acme, "released@acme.example"));
    expect((await okta.send("GET", `/Users/${id}`)).status).toBe(404);
    const again = await okta.addUser("released@acme.example");
    expect(again).not.toBe(id);
    const newcomer = await knownPerson(acme, "released@acme.example");
    expect(newcomer.id).not.toBe(personId);
    expect(await servicesOf(env).seers.byEmail(acme.id, newcomer.email)).toMatchObject({ directoryGroups: [] });
  });
});

describe("a group of a directory", () => {
  it("is in the audit with each change of its members and its name", async () => {
    const [one, two] = [await okta.addUser("one@acme.example"), await okta.addUser("two@acme.example")];
    const id = await okta.addGroup("Recorded", one, two);
    const remove = { op: "remove", path: `members[value eq "${one}"]` };
    for (const operation of [remove, remove, { op: "replace", path: "displayName", value: "Recorded anew" }]) {
      expect((await okta.patch(`/Groups/${id}`, operation)).status).toBe(204);
    }
    expect((await okta.send("DELETE", `/Groups/${id}`)).status).toBe(204);
    const entries = await auditOf(id);
    expect(entries.every(({ actor }) => actor === "directory:okta")).toBe(true);
    expect(entries.map(({ event, detail }) => ({ event, ...detail }))).toEqual([
      { event: "directory_group_created", groupId: id, group: "Recorded" },
      ...[
        { group: "Recorded", added: 2, users: [one, two] },
        { group: "Recorded", removed: 1, users: [one] },
        { group: "Recorded anew", before: "Recorded" },
        { group: "Recorded anew", removed: 1 },
      ].map((detail) => ({ event: "directory_group_changed", groupId: id, ...detail })),
      { event: "directory_group_removed", groupId: id, group: "Recorded anew" },
    ]);
  });

  it("respects a user's limit of groups, and the conditions of changes, even in a race", async () => {
    const directory = { instanceId: acme.id, name: "okta" };
    const groups = new D1DirectoryGroups(audited());
    const user = await okta.addUser("collector@acme.example");
    const id = await okta.addGroup("Beyond");
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${GROUPS_PER_USER_MAX})
         INSERT INTO directory_groups (id, instance_id, directory, name, display_name, revision, created_at, changed_at)
         SELECT 'g' || i, ?1, 'okta', 'g' || i, 'g' || i, 'r', 0, 0 FROM n`,
      ).bind(acme.id),
      env.DB.prepare(
        `INSERT INTO directory_members (instance_id, group_id, user_id)
         SELECT ?1, id, ?2 FROM directory_groups WHERE instance_id = ?1 AND revision = 'r'`,
      ).bind(acme.id, user),
    ]);
    const steps = [{ kind: "add" as const, users: [user] }];
    const read = { id, displayName: "Beyond" };
    expect(await groups.change(directory, read, {}, steps, null, "later", 0)).toBe("done");
    expect(await groups.members(directory, id, "", 10)).toEqual([]);
    expect(await groups.remove(directory, read, "earlier", 0)).toBe(false);
    expect(await groups.remove(directory, read, "later", 0)).toBe(true);
  });
});

describe("a conditional removal", () => {
  it("keeps a user who was changed after the condition was checked", async () => {
    const directory = { instanceId: acme.id, name: "okta" };
    const id = await okta.addUser("conditional@acme.example");
    const users = new D1DirectoryUsers(audited());
    const read = (await users.find(directory, id)) ?? expect.fail();
    await okta.patch(`/Users/${id}`, off);
    expect(await users.remove(directory, read, read.revision, 0)).toBe(false);
    expect((await okta.send("GET", `/Users/${id}`)).status).toBe(200);
    expect(await users.remove(directory, read, null, 0)).toBe(true);
  });
});

describe("a large group", () => {
  it("is loaded in parts of 5,000 members each, and read completely", { timeout: 60_000 }, async () => {
    const now = Math.floor(Date.now() / 1000);
    const users = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)`;
    await env.DB.batch([
      env.DB.prepare(
        `INSERT INTO people (id, instance_id, email, name, created_at)
         ${users} SELECT 'p' || i, ?1, 'n' || i || '@acme.example', '', ?2 FROM n`,
      ).bind(acme.id, now),
      env.DB.prepare(
        `INSERT INTO directory_users (id, instance_id, directory, person_id, user_name, is_active, attributes, revision, created_at, changed_at)
         ${users} SELECT 'u' || i, ?1, 'okta', 'p' || i, 'n' || i, 1, '{"userName":"n"}', 'r', ?2, ?2 FROM n`,
      ).bind(acme.id, now),
    ]);
    const group = await okta.addGroup("Everybody");
    const ids = Array.from({ length: 6000 }, (_, at) => ({ value: `u${at + 1}` }));
    const add = (value: object[]) => okta.patch(`/Groups/${group}`, { op: "add", path: "members", value });
    expect(await add(ids.slice(0, 5001))).toMatchObject({ status: 400, body: { scimType: "tooMany" } });
    for (const part of [ids.slice(0, 5000), ids.slice(5000)]) expect((await add(part)).status).toBe(204);
    const { members } = await okta.done("GET", `/Groups/${group}`);
    expect(new Set((members as { value: string }[]).map(({ value }) => value)).size).toBe(6000);
    expect((await okta.send("DELETE", `/Groups/${group}`)).status).toBe(204);
  });
});

describe("a bulk request", () => {
  const bulk = async (...operations: readonly unknown[]) => {
    const answer = await okta.done("POST", "/Bulk", { Operations: operations });
    return answer["Operations"] as Readonly<Record<string, string>>[];
  };
  const user = (bulkId: string) => ({
    method: "POST",
    path: "/Users",
    bulkId,
    data: { userName: `${bulkId}@bulk.example` },
  });

  /** Makes the second of the next larger writes fail, and nothing else. */
  async function failSecondWrite() {
    // This reads the policy and the token beforehand.
    await okta.done("GET", "/Users?count=0");
    const batch = env.DB.batch.bind(env.DB);
    let written = 0;
    return vi.spyOn(env.DB, "batch").mockImplementation((all) => {
      if (all.length > 3) written += 1;
      return all.length > 3 && written === 2 ? Promise.reject(new Error("down")) : batch(all);
    });
  }

  it("says which operations failed for lack of storage, and which depended on them; they succeed when sent again", async () => {
    const failing = await failSecondWrite();
    const operations = [
      user("q1"),
      user("q2"),
      {
        method: "POST",
        path: "/Groups",
        bulkId: "q3",
        data: { displayName: "Bulk q3", members: [{ value: "bulkId:q2" }] },
      },
      user("q4"),
    ];
    const answers = await bulk(...operations);
    failing.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(["201", "503", "503", "201"]);
    expect(answers[1]).toMatchObject({ response: { status: "503", detail: expect.any(String) } });
    expect(await okta.find("Users", 'userName eq "q2@bulk.example"')).toEqual([]);
    expect(await okta.find("Groups", 'displayName eq "Bulk q3"')).toEqual([]);
    const again = await bulk(...operations.slice(1, 3));
    expect(again.map(({ status }) => status)).toEqual(["201", "201"]);
  });

  it("leaves a new user active, with its person, if storage fails during the deactivation", async () => {
    const userName = "half@bulk.example";
    const failing = await failSecondWrite();
    const { status } = await okta.send("POST", "/Users", { userName, active: false });
    failing.mockRestore();
    expect(status).toBe(503);
    const [half] = await okta.find("Users", `userName eq "${userName}"`);
    expect(half).toMatchObject({ active: true });
    const shut = await okta.patch(`/Users/${String(half?.["id"])}`, off);
    expect(shut).toMatchObject({ status: 200, body: { active: false } });
    expect(await okta.done("POST", "/Users", { userName: "off@bulk.example", active: false })).toMatchObject({
      active: false,
    });
  });

  it("counts each operation as a request", async () => {
    const limiter = vi.spyOn(env.RATE_LIMIT_3000, "limit");
    const counted = async (act: () => Promise<unknown>) => {
      limiter.mockClear();
      await act();
      return limiter.mock.calls.filter(([{ key }]) => key.startsWith("scim:token")).length;
    };
    expect(await counted(() => okta.done("GET", "/Users"))).toBe(1);
    expect(await counted(() => bulk(...["r1", "r2", "r3"].map(user)))).toBe(3);
  });
});
