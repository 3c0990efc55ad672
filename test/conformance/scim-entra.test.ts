import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { DocumentWorld } from "../support/document-world.ts";
import { DirectoryClient, ENTERPRISE, GROUP, USER } from "../support/scim.ts";
import { makeInstance } from "../support/world.ts";

/**
 * Requests of Microsoft Entra ID's provisioning service, with and without its compliance flag, reconstructed from Microsoft's
 * documentation ("Develop and plan provisioning for a SCIM endpoint", "Known issues and resolutions with SCIM 2.0 protocol compliance").
 */
let entra: DirectoryClient;
let instance: InstanceRecord;
let world: DocumentWorld;

beforeAll(async () => {
  instance = await makeInstance();
  entra = await DirectoryClient.of(instance, "entra");
  world = await DocumentWorld.of(instance);
});

const email = "test_user_11bbb11b@acme.example";

const created = {
  schemas: [USER, ENTERPRISE],
  externalId: "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
  userName: email,
  active: true,
  addresses: null,
  displayName: "BillG",
  emails: [{ type: "work", value: email, primary: true }],
  meta: { resourceType: "User" },
  name: { formatted: "William Gates", familyName: "Gates", givenName: "William" },
  roles: [],
  title: "Manager",
  [ENTERPRISE]: { department: "bob", manager: "unknown-until-later" },
};

describe("a user whom Entra ID provisions", () => {
  let id: string;

  it("has schemas that Entra ID can read when the configuration is saved", async () => {
    const { Resources } = (await entra.done("GET", "/Schemas")) as { Resources: { id: string }[] };
    expect(Resources.map((schema) => schema.id)).toEqual([USER, ENTERPRISE, GROUP]);
    expect(JSON.stringify(Resources)).not.toContain("null");
  });

  it("is not found when Entra ID tests the connection", async () => {
    expect(await entra.find("Users", 'userName eq "ac1b8d41-0000-4a7e-8e38-no-such-user"')).toEqual([]);
  });

  it("is created with the enterprise extension", async () => {
    const { status, body } = await entra.send("POST", "/Users", created);
    expect(status).toBe(201);
    id = String(body["id"]);
    expect(body).toMatchObject({
      schemas: [USER, ENTERPRISE],
      name: created.name,
      [ENTERPRISE]: { department: "bob", manager: { value: "unknown-until-later" } },
    });
  });

  it.each([
    [
      "Replace",
      'emails[type eq "work"].value',
      "new_user@acme.example",
      { emails: [{ value: "new_user@acme.example", type: "work", primary: true }] },
    ],
    [
      "Add",
      'phoneNumbers[type eq "mobile"].value',
      "+1 425 555 0100",
      { phoneNumbers: [{ type: "mobile", value: "+1 425 555 0100" }] },
    ],
    [
      "Add",
      'addresses[type eq "work"].formatted',
      "1 Main Street",
      { addresses: [{ type: "work", formatted: "1 Main Street" }] },
    ],
    ["Replace", "name.familyName", "Doors", { name: { familyName: "Doors", givenName: "William" } }],
    ["Replace", `${ENTERPRISE}:department`, "Sales", { [ENTERPRISE]: { department: "Sales" } }],
    ["Add", `${ENTERPRISE}:manager`, "2819c223", { [ENTERPRISE]: { manager: { value: "2819c223" } } }],
    ["Replace", "displayName", "Bill", { displayName: "Bill" }],
  ])("is changed by %s %s", async (op, path, value, expected) => {
    expect(await entra.patch(`/Users/${id}`, { op, path, value })).toMatchObject({ status: 200, body: expected });
    expect(await entra.done("GET", `/Users/${id}`)).toMatchObject(expected);
  });

  it("is changed by several attributes without a path, including dotted ones and those of the extension", async () => {
    const value = {
      displayName: "Bjorn",
      "name.givenName": "Björn",
      "name.familyName": "Doe",
      [`${ENTERPRISE}:department`]: "IT",
      [`${ENTERPRISE}:employeeNumber`]: "701984",
      "urn:ietf:params:scim:schemas:extension:CustomExtension:2.0:User:tag": "passed over",
    };
    const { status, body } = await entra.patch(`/Users/${id}`, { op: "replace", value });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        displayName: "Bjorn",
        name: { givenName: "Björn", familyName: "Doe", formatted: "William Gates" },
        [ENTERPRISE]: { department: "IT", employeeNumber: "701984" },
      },
    });
    expect(Object.keys(body)).not.toContain("name.givenName");
    expect(JSON.stringify(body)).not.toContain("passed over");
  });

  it("has its manager found and changed by the attribute's name without the extension's schema", async () => {
    const manager = (value: string) => `id eq "${id}" and manager eq "${value}"`;
    const value = [{ $ref: "https://acme.example/scim/v2/Users/00aa00aa", value: "00aa00aa" }];
    expect(await entra.find("Users", manager("00aa00aa"))).toEqual([]);
    expect(await entra.patch(`/Users/${id}`, { op: "Add", path: "manager", value })).toMatchObject({
      status: 200,
      body: { [ENTERPRISE]: { manager: value[0] } },
    });
    expect((await entra.find("Users", manager("00AA00AA"))).map((user) => user["id"])).toEqual([id]);
  });

  it("is changed by several operations in one request, as without the compliance flag", async () => {
    const other = "other@acme.example";
    const operations = [
      { op: "Replace", path: "displayName", value: "Pvlo" },
      { op: "Add", path: 'emails[type eq "other"].Value', value: other },
      { op: "Add", path: 'addresses[type eq "other"].Formatted', value: "18/2111" },
      { op: "Replace", path: "name.givenName", value: "Gtfd" },
      { op: "Add", path: "nickName", value: "Babs" },
      { op: "Replace", path: `${ENTERPRISE}:employeeNumber`, value: "Eqpj" },
    ];
    expect(await entra.patch(`/Users/${id}`, ...operations)).toMatchObject({
      status: 200,
      body: {
        displayName: "Pvlo",
        emails: [
          { type: "work", primary: true },
          { type: "other", value: other },
        ],
        nickName: "Babs",
        name: { givenName: "Gtfd" },
        [ENTERPRISE]: { employeeNumber: "Eqpj" },
      },
    });
    expect(await entra.find("Users", `emails[type eq "other"].value eq "${other}"`)).toHaveLength(1);
  });

  it("loses attributes that are removed", async () => {
    await entra.patch(`/Users/${id}`, { op: "Remove", path: `${ENTERPRISE}:manager` }, { op: "Remove", path: "title" });
    const read = await entra.done("GET", `/Users/${id}`);
    expect(read["title"]).toBeUndefined();
    expect(read[ENTERPRISE]).not.toHaveProperty("manager");
  });

  it.each(["False", false])("loses access with active %j, and can get it again", async (off) => {
    const token = await world.personToken("new_user@acme.example");
    expect(await world.statusOf(token)).toBe(200);
    expect(await entra.patch(`/Users/${id}`, { op: "Replace", path: "active", value: off })).toMatchObject({
      status: 200,
      body: { active: false },
    });
    expect(await world.statusOf(token)).toBe(401);
    expect(await entra.find("Users", `userName eq "${email}" and active eq false`)).toHaveLength(1);
    await entra.patch(`/Users/${id}`, { op: "Replace", path: "active", value: off === false ? true : "True" });
    expect(await world.statusOf(await world.personToken("new_user@acme.example"))).toBe(200);
  });

  it("is deleted with all of the person's access, and can be created again for the same person", async () => {
    const token = await world.personToken("new_user@acme.example");
    expect(await entra.send("DELETE", `/Users/${id}`)).toMatchObject({ status: 204, body: {} });
    expect(await world.statusOf(token)).toBe(401);
    expect((await entra.send("GET", `/Users/${id}`)).status).toBe(404);
    expect((await entra.send("DELETE", `/Users/${id}`)).status).toBe(404);
    await entra.addUser("new_user@acme.example", { externalId: created.externalId });
    expect(await world.statusOf(token)).toBe(401);
    expect(await world.statusOf(await world.personToken("new_user@acme.example"))).toBe(200);
  });
});

describe("a group that Entra ID provisions", () => {
  let kim: string;
  let lee: string;
  let path: string;

  beforeAll(async () => {
    [kim, lee] = [await entra.addUser("kim@acme.example"), await entra.addUser("lee@acme.example")];
  });

  it("is looked up without its members, and created", async () => {
    const filter = encodeURIComponent('displayName eq "displayName"');
    const found = await entra.done("GET", `/Groups?excludedAttributes=members&filter=${filter}`);
    expect(found).toMatchObject({ totalResults: 0, Resources: [] });
    const group = {
      schemas: [GROUP, "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group"],
      externalId: "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
      displayName: "displayName",
      meta: { resourceType: "Group" },
    };
    const { status, body } = await entra.send("POST", "/Groups", group);
    expect({ status, body }).toMatchObject({ status: 201, body: { displayName: "displayName", members: [] } });
    path = `/Groups/${String(body["id"])}`;
    expect(await entra.done("GET", `${path}?excludedAttributes=members`)).not.toHaveProperty("members");
  });

  it("is renamed", async () => {
    const renamed = {
      op: "Replace",
      path: "displayName",
      value: "1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName",
    };
    expect(await entra.patch(path, renamed)).toMatchObject({ status: 204 });
    expect(await entra.done("GET", path)).toMatchObject({ displayName: renamed.value });
  });

  it.each([
    ["as a list beside the path", (user: string) => ({ op: "Remove", path: "members", value: [{ value: user }] })],
    [
      "as a list with references",
      (user: string) => ({ op: "Remove", path: "members", value: [{ $ref: null, value: user }] }),
    ],
    ["in the path", (user: string) => ({ op: "remove", path: `members[value eq "${user}"]` })],
    ["without a path", (user: string) => ({ op: "Remove", value: { members: [{ value: user }] } })],
  ])("loses one member that is named %s", async (_, removal) => {
    await entra.patch(path, { op: "Add", path: "members", value: [{ $ref: null, value: kim }, { value: lee }] });
    const membership = `id eq "${path.replace("/Groups/", "")}" and members eq "${kim}"`;
    expect(await entra.find("Groups", membership)).toHaveLength(1);
    expect(await entra.patch(path, removal(kim))).toMatchObject({ status: 204 });
    expect(await entra.find("Groups", membership)).toEqual([]);
    expect(await entra.done("GET", path)).toMatchObject({ members: [{ value: lee }] });
  });

  it("loses all members, and is deleted", async () => {
    await entra.patch(path, { op: "Remove", path: "members" });
    expect(await entra.done("GET", path)).toMatchObject({ members: [] });
    expect((await entra.send("DELETE", path)).status).toBe(204);
  });
});
