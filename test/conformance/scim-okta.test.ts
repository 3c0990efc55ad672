import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { DirectoryClient, GROUP, PATCH, USER } from "../support/scim.ts";
import { DocumentWorld } from "../support/document-world.ts";
import { makeInstance } from "../support/world.ts";

/**
 * Requests of Okta's SCIM 2.0 integrations, reconstructed from Okta's developer documentation ("SCIM 2.0 protocol reference"):
 * look up, create, read, replace, deactivate, push groups.
 */
let okta: DirectoryClient;
let instance: InstanceRecord;
let world: DocumentWorld;

beforeAll(async () => {
  instance = await makeInstance();
  okta = await DirectoryClient.of(instance);
  world = await DocumentWorld.of(instance);
});

const test = {
  schemas: [USER],
  userName: "test.user@acme.example",
  name: { givenName: "Test", familyName: "User" },
  emails: [{ primary: true, value: "test.user@acme.example", type: "work" }],
  displayName: "Test User",
  locale: "en-US",
  externalId: "00ujl29u0le5T6Aj10h7",
  groups: [],
  password: "1mz050nq",
  active: true,
};

describe("a user whom Okta assigns", () => {
  let id: string;

  it("is not found by userName before it is created", async () => {
    const filter = encodeURIComponent('userName eq "test.user@acme.example"');
    expect(await okta.done("GET", `/Users?filter=${filter}&startIndex=1&count=100`)).toEqual({
      schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
      totalResults: 0,
      startIndex: 1,
      itemsPerPage: 0,
      Resources: [],
    });
  });

  it("is created with 201, its location and everything that is stored, but never the password", async () => {
    const { status, body, headers } = await okta.send("POST", "/Users", test);
    expect(status).toBe(201);
    const { password: _, groups, ...kept } = test;
    expect(body).toMatchObject({ ...kept, groups });
    expect(JSON.stringify(body)).not.toContain(test.password);
    id = String(body["id"]);
    const location = `http://acme.localhost/scim/v2/Users/${id}`;
    expect(headers.get("location")).toBe(location);
    expect(body["meta"]).toMatchObject({ resourceType: "User", location, version: headers.get("etag") });
  });

  it("is not created a second time", async () => {
    const { status, body } = await okta.send("POST", "/Users", { ...test, userName: "TEST.User@acme.example" });
    expect({ status, body }).toMatchObject({ status: 409, body: { scimType: "uniqueness", status: "409" } });
  });

  it("is found by its id and by the filters that Okta can be set to use", async () => {
    expect(await okta.done("GET", `/Users/${id}`)).toMatchObject({ id, userName: test.userName });
    for (const filter of [
      'userName eq "Test.User@acme.example"',
      'externalId eq "00ujl29u0le5T6Aj10h7"',
      'id eq "' + id + '"',
      'emails.value eq "test.user@acme.example"',
      'emails[type eq "work"].value eq "test.user@acme.example"',
      'userName eq "test.user@acme.example" and active eq true',
      'not (active eq false) and name.familyName sw "us"',
    ]) {
      expect((await okta.find("Users", filter)).map((user) => user["id"])).toEqual([id]);
    }
  });

  it("is replaced by PUT with the user that Okta has read and changed", async () => {
    const read = await okta.done("GET", `/Users/${id}`);
    const put = { ...read, name: { givenName: "Another", middleName: "Excited", familyName: "User" } };
    const replaced = await okta.done("PUT", `/Users/${id}`, put);
    expect(replaced).toMatchObject({ id, name: put.name, active: true });
    expect(replaced["displayName"]).toBe("Test User");
  });

  it("loses all access with active false, and with active true can get new tokens but not use the old ones", async () => {
    const token = await world.personToken(test.userName);
    const off = await okta.send("PATCH", `/Users/${id}`, {
      schemas: [PATCH],
      Operations: [{ op: "replace", value: { active: false } }],
    });
    expect(off).toMatchObject({ status: 200, body: { active: false } });
    expect(await world.statusOf(token)).toBe(401);
    const on = await okta.send("PATCH", `/Users/${id}`, {
      schemas: [PATCH],
      Operations: [{ op: "replace", value: { active: true } }],
    });
    expect(on).toMatchObject({ status: 200, body: { active: true } });
    expect(await world.statusOf(token)).toBe(401);
    expect(await world.statusOf(await world.personToken(test.userName))).toBe(200);
  });
});

describe("an integration that was created with Okta's wizard, which sends only PUT", () => {
  it("asks for two users and a hundred groups when it is connected", async () => {
    expect(await okta.done("GET", "/Users?startIndex=1&count=2")).toMatchObject({ startIndex: 1, itemsPerPage: 1 });
    expect(await okta.done("GET", "/Groups?startIndex=1&count=100")).toMatchObject({ totalResults: 0, Resources: [] });
  });

  it("deactivates and reactivates a user by sending back the whole user that it read", async () => {
    const id = await okta.addUser("wizard@acme.example", {
      name: { givenName: "Wiz", middleName: "", familyName: "Ard" },
    });
    const token = await world.personToken("wizard@acme.example");
    const read = await okta.done("GET", `/Users/${id}`);
    expect(await okta.done("PUT", `/Users/${id}`, { ...read, active: false })).toMatchObject({ id, active: false });
    expect(await world.statusOf(token)).toBe(401);
    expect(await okta.done("PUT", `/Users/${id}`, read)).toMatchObject({ name: read["name"], active: true });
  });
});

describe("a group that Okta pushes", () => {
  it("has members removed and added in one request, and its name sent again afterwards", async () => {
    const [old, young] = [await okta.addUser("old@acme.example"), await okta.addUser("young@acme.example")];
    const id = await okta.addGroup("Test SCIMv2", old);
    const change = [
      { op: "remove", path: `members[value eq "${old}"]` },
      { op: "add", path: "members", value: [{ value: young, display: "young@acme.example" }] },
    ];
    expect((await okta.patch(`/Groups/${id}`, ...change)).status).toBe(204);
    expect(
      (await okta.patch(`/Groups/${id}`, { op: "replace", value: { id, displayName: "Test SCIMv2" } })).status,
    ).toBe(204);
    const members = [{ value: young, display: "young@acme.example" }];
    expect(await okta.done("GET", `/Groups/${id}`)).toMatchObject({ displayName: "Test SCIMv2", members });
    expect((await okta.send("DELETE", `/Groups/${id}`)).status).toBe(204);
  });

  it("gives its members access to its documents, and takes it away when they are removed", async () => {
    const [ada, ben] = [await okta.addUser("ada@acme.example"), await okta.addUser("ben@acme.example")];
    await world.index("plans", ["Strategy"]);
    const tokens = {
      ada: await world.personToken("ada@acme.example"),
      ben: await world.personToken("ben@acme.example"),
    };
    expect([await world.sees(tokens.ada, "plans"), await world.sees(tokens.ben, "plans")]).toEqual([false, false]);

    expect(await okta.find("Groups", 'displayName eq "Strategy"')).toEqual([]);
    const group = await okta.send("POST", "/Groups", { schemas: [GROUP], displayName: "Strategy", members: [] });
    expect(group.status).toBe(201);
    const path = `/Groups/${String(group.body["id"])}`;
    await okta.patch(path, { op: "replace", value: { id: group.body["id"], displayName: "Strategy" } });
    expect(
      await okta.patch(path, {
        op: "add",
        path: "members",
        value: [
          { value: ada, display: "ada@acme.example" },
          { value: ben, display: "ben@acme.example" },
        ],
      }),
    ).toMatchObject({ status: 204 });
    world.forget();
    expect([await world.sees(tokens.ada, "plans"), await world.sees(tokens.ben, "plans")]).toEqual([true, true]);

    await okta.patch(path, { op: "remove", path: `members[value eq "${ada}"]` });
    world.forget();
    expect([await world.sees(tokens.ada, "plans"), await world.sees(tokens.ben, "plans")]).toEqual([false, true]);
    expect(await okta.done("GET", path)).toMatchObject({ members: [{ value: ben, display: "ben@acme.example" }] });

    await okta.patch(path, { op: "replace", path: "members", value: [{ value: ada, display: "ada@acme.example" }] });
    world.forget();
    expect([await world.sees(tokens.ada, "plans"), await world.sees(tokens.ben, "plans")]).toEqual([true, false]);

    expect(await okta.send("DELETE", path)).toMatchObject({ status: 204 });
    world.forget();
    expect(await world.sees(tokens.ada, "plans")).toBe(false);
    expect((await okta.send("GET", path)).status).toBe(404);
  });

  it("is replaced by PUT with all of its members", async () => {
    const [cleo, dan] = [await okta.addUser("cleo@acme.example"), await okta.addUser("dan@acme.example")];
    const id = await okta.addGroup("Board", cleo);
    const put = {
      schemas: [GROUP],
      id,
      displayName: "The Board",
      members: [{ value: dan, display: "dan@acme.example" }],
    };
    expect(await okta.done("PUT", `/Groups/${id}`, put)).toMatchObject({
      displayName: "The Board",
      members: [{ value: dan }],
    });
  });
});
