import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { DocumentWorld } from "../support/document-world.ts";
import { DirectoryClient, ENTERPRISE, GROUP, PATCH, USER } from "../support/scim.ts";
import { issueAdminToken } from "../support/service-tokens.ts";
import { changeSettings, issueIndexingToken, makeInstance, send, setDeactivated } from "../support/world.ts";

let acme: InstanceRecord;
let directory: DirectoryClient;

beforeAll(async () => {
  acme = await makeInstance();
  directory = await DirectoryClient.of(acme);
});

describe("the token of a directory (RFC 7644 §2)", () => {
  it.each([
    ["none", async () => ""],
    ["of the Indexing API", () => issueIndexingToken(acme, "documents:global_scope")],
    ["of the Admin API", () => issueAdminToken(acme)],
    ["of nobody", async () => `ghs_${"A".repeat(49)}`],
    ["of another instance", async () => (await DirectoryClient.of(await makeInstance("other"))).token],
  ])("is the only one that is accepted (other token: %s)", async (_, make) => {
    const { status, headers, body } = await new DirectoryClient(await make()).send("GET", "/Users");
    expect({ status, body }).toMatchObject({
      status: 401,
      body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"], status: "401" },
    });
    expect(headers.get("www-authenticate")).toContain('Bearer realm="SCIM"');
  });

  it("opens no other API", async () => {
    for (const path of ["/rest/api/admin/v1/apps", "/rest/api/v1/search", "/api/index/v1/getdocumentcount"]) {
      const method = path.includes("admin") ? "GET" : "POST";
      const init = {
        method,
        headers: { Authorization: `Bearer ${directory.token}`, "Content-Type": "application/json" },
      };
      expect((await send(path, method === "POST" ? { ...init, body: "{}" } : init)).status).toBe(401);
    }
  });

  it("can't read or change users and groups of another directory", async () => {
    const second = await DirectoryClient.of(acme, "second");
    const externalId = "00u-planted";
    const id = await directory.addUser("own@acme.example", { externalId });
    const group = await directory.addGroup("Own", id);
    for (const [method, path, body] of [
      ["GET", `/Users/${id}`],
      ["PUT", `/Users/${id}`, { userName: "stolen@acme.example" }],
      ["PATCH", `/Users/${id}`, { Operations: [{ op: "replace", path: "active", value: false }] }],
      ["DELETE", `/Users/${id}`],
      ["GET", `/Groups/${group}`],
      ["PATCH", `/Groups/${group}`, { Operations: [{ op: "remove", path: "members" }] }],
      ["DELETE", `/Groups/${group}`],
    ] as const) {
      expect({ method, path, status: (await second.send(method, path, body)).status }).toEqual({
        method,
        path,
        status: 404,
      });
    }
    expect(await second.find("Users", `id eq "${id}"`)).toEqual([]);
    // It can't take over the same person, the same group or a member by naming them either.
    for (const [path, body, scimType] of [
      ["/Users", { userName: "own@acme.example" }, "uniqueness"],
      ["/Groups", { displayName: "own" }, "uniqueness"],
      ["/Groups", { displayName: "Theirs", members: [{ value: id }] }, "invalidValue"],
    ] as const) {
      expect(await second.send("POST", path, body)).toMatchObject({ body: { scimType } });
    }
    // A user that is planted with the same external id is a different one, and neither directory finds both.
    const planted = await second.addUser("planted@acme.example", { externalId });
    for (const [asked, found] of [
      [directory, id],
      [second, planted],
    ] as const) {
      expect((await asked.find("Users", `externalId eq "${externalId}"`)).map((user) => user["id"])).toEqual([found]);
    }
    // An existing group can't take the name of another directory's group, even in other letters, or a member of it.
    const theirs = await second.addGroup("Theirs", planted);
    const rename = { displayName: "OWN", members: [] };
    const member = { op: "add", path: "members", value: [{ value: id }] };
    const taking = { op: "replace", path: "displayName", value: "oWn" };
    const bulk = { Operations: [{ method: "PATCH", path: `/Groups/${theirs}`, data: { Operations: [member] } }] };
    expect(await second.send("PUT", `/Groups/${theirs}`, rename)).toMatchObject({ body: { scimType: "uniqueness" } });
    for (const [operations, scimType] of [
      [[taking], "uniqueness"],
      [[member], "invalidValue"],
      [[{ op: "remove", path: "members" }, taking], "uniqueness"],
    ] as const) {
      expect(await second.patch(`/Groups/${theirs}`, ...operations)).toMatchObject({ body: { scimType } });
    }
    expect(await second.done("POST", "/Bulk", bulk)).toMatchObject({ Operations: [{ status: "400" }] });
    expect(await second.done("GET", `/Groups/${theirs}`)).toMatchObject({
      displayName: "Theirs",
      members: [{ value: planted }],
    });
    expect(await directory.done("GET", `/Groups/${group}`)).toMatchObject({ members: [{ value: id }] });
  });
});

describe("people of a directory", () => {
  it("never get an email that somebody else has", async () => {
    const id = await directory.addUser("ursula@acme.example");
    await directory.addUser("victor@acme.example");
    const rename = { op: "replace", path: "userName", value: "VICTOR@acme.example" };
    expect(await directory.patch(`/Users/${id}`, rename)).toMatchObject({
      status: 409,
      body: { scimType: "uniqueness" },
    });
    const email = { op: "replace", path: "emails", value: [{ value: "victor@acme.example", primary: true }] };
    expect(await directory.patch(`/Users/${id}`, email)).toMatchObject({
      status: 409,
      body: { scimType: "uniqueness" },
    });
    expect(await directory.done("GET", `/Users/${id}`)).toMatchObject({ userName: "ursula@acme.example" });
  });

  it("keep their access when their email changes", async () => {
    const world = await DocumentWorld.of(acme);
    const id = await directory.addUser("maiden@acme.example");
    const token = await world.personToken("maiden@acme.example");
    await directory.done("PATCH", `/Users/${id}`, {
      Operations: [{ op: "replace", path: "userName", value: "married@acme.example" }],
    });
    expect(await world.statusOf(token)).toBe(200);
    expect(await directory.send("POST", "/Users", { userName: "married@acme.example" })).toMatchObject({ status: 409 });
  });

  it("stay deactivated if an administrator deactivated them while the directory had them inactive", async () => {
    const world = await DocumentWorld.of(acme);
    const id = await directory.addUser("twice.out@acme.example", { active: false });
    await setDeactivated(acme, "twice.out@acme.example");
    await directory.patch(`/Users/${id}`, { op: "replace", path: "active", value: true });
    await expect(world.personToken("twice.out@acme.example")).rejects.toThrow("deactivated");
  });

  it("stay deactivated if an administrator deactivated them, whatever the directory sends", async () => {
    const world = await DocumentWorld.of(acme);
    const id = await directory.addUser("shut.out@acme.example");
    const token = await world.personToken("shut.out@acme.example");
    await setDeactivated(acme, "shut.out@acme.example");
    for (const value of [false, true]) await directory.patch(`/Users/${id}`, { op: "replace", path: "active", value });
    expect(await world.statusOf(token)).toBe(401);
    await expect(world.personToken("shut.out@acme.example")).rejects.toThrow("deactivated");
  });

  it.each([
    { op: "remove", path: "active" },
    { op: "replace", path: "active", value: null },
    { op: "replace", value: { active: null } },
  ])("stay inactive until a change sets active to true: %j doesn't", async (emptied) => {
    const id = await directory.addUser(`emptied${crypto.randomUUID()}@acme.example`);
    await directory.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    expect(await directory.patch(`/Users/${id}`, emptied)).toMatchObject({ status: 200, body: { active: false } });
  });

  it("have their directory groups only if the setting provisionedGroups includes them", async () => {
    const world = await DocumentWorld.of(acme);
    await world.index("budget", ["Money"]);
    await directory.addGroup("Money", await directory.addUser("nora@acme.example"));
    const token = await world.personToken("nora@acme.example");
    for (const [provisionedGroups, sees] of [
      ["directory", true],
      ["sign-in", false],
      ["both", true],
    ] as const) {
      await changeSettings("acme", { provisionedGroups });
      world.forget();
      expect({ provisionedGroups, sees: await world.sees(token, "budget") }).toEqual({ provisionedGroups, sees });
    }
    await changeSettings("acme", { provisionedGroups: "directory" });
  });
});

describe("lists (RFC 7644 §3.4.2)", () => {
  let listed: DirectoryClient;

  beforeAll(async () => {
    const many = await makeInstance("many");
    listed = await DirectoryClient.of(many, "okta", "http://many.localhost");
    for (let at = 1; at <= 7; at += 1) await listed.addUser(`user${at}@many.example`);
  });

  it.each([
    ["startIndex=1&count=3", 1, ["user1", "user2", "user3"]],
    ["startIndex=4&count=3", 4, ["user4", "user5", "user6"]],
    ["startIndex=7&count=3", 7, ["user7"]],
    ["startIndex=99", 99, []],
    ["count=0", 1, []],
    ["startIndex=-5&count=1", 1, ["user1"]],
    ["count=-1", 1, []],
  ])("are returned in pages: %s", async (query, startIndex, names) => {
    const list = await listed.done("GET", `/Users?${query}`);
    expect(list).toMatchObject({ totalResults: 7, startIndex, itemsPerPage: names.length });
    const users = list["Resources"] as { userName: string }[];
    expect(users.map(({ userName }) => userName.split("@")[0])).toEqual(names);
  });

  it("have only the requested attributes", async () => {
    const asked = await listed.done("GET", "/Users?count=1&attributes=userName");
    expect(asked["Resources"]).toEqual([{ schemas: [USER], id: expect.any(String), userName: "user1@many.example" }]);
    const [left] = (await listed.done("GET", "/Users?count=1&excludedAttributes=meta,userName"))[
      "Resources"
    ] as object[];
    expect(Object.keys(left ?? {})).toEqual(["schemas", "id", "active"]);
  });

  it.each([
    ["/Users?filter=userName", "invalidFilter"],
    ["/Users?filter=password%20eq%20%22x%22", "invalidFilter"],
    ["/Users?filter=active%20eq%20%22x%22", "invalidFilter"],
    ["/Users?filter=userName%20eq%20%22x%22%20or", "invalidFilter"],
    [`/Users?filter=${"(".repeat(200)}`, "invalidFilter"],
    [
      `/Users?filter=${encodeURIComponent(Array.from({ length: 30 }, () => 'id eq "x"').join(" or "))}`,
      "invalidFilter",
    ],
    [`/Users?filter=${encodeURIComponent("userName eq \"x' OR 1=1 --")}`, "invalidFilter"],
    ["/Groups?filter=members.display%20eq%20%22x%22", "invalidFilter"],
    ["/Users?count=many", "invalidValue"],
  ])("refuse %s", async (path, scimType) => {
    expect(await listed.send("GET", path)).toMatchObject({ status: 400, body: { status: "400", scimType } });
  });
});

describe("versions (RFC 7644 §3.14)", () => {
  it("prevent a change of an outdated resource, and save reading an unchanged one", async () => {
    const id = await directory.addUser("version@acme.example");
    const { headers } = await directory.send("GET", `/Users/${id}`);
    const first = headers.get("etag") ?? "";
    expect((await directory.send("GET", `/Users/${id}`, undefined, { "If-None-Match": first })).status).toBe(304);
    const put = (title: string) =>
      directory.send("PUT", `/Users/${id}`, { userName: "version@acme.example", title }, { "If-Match": first });
    expect(await put("One")).toMatchObject({ status: 200, body: { title: "One" } });
    expect(await put("Two")).toMatchObject({ status: 412, body: { status: "412" } });
    expect(await directory.done("GET", `/Users/${id}`)).toMatchObject({ title: "One" });
  });

  it("work the same for users and groups", async () => {
    const id = await directory.addUser("alike@acme.example");
    const group = await directory.addGroup("Alike", id);
    const changes = [
      [`/Users/${id}`, { op: "replace", path: "title", value: "One" }],
      [`/Groups/${group}`, { op: "remove", path: "members" }],
    ] as const;
    for (const [path, change] of changes) {
      const { headers, body } = await directory.send("GET", path);
      const tag = headers.get("etag") ?? "";
      expect(body["meta"]).toMatchObject({ version: tag });
      for (const known of [tag, tag.replace("W/", ""), `"other", ${tag}`, "*"]) {
        const read = await directory.send("GET", path, undefined, { "If-None-Match": known });
        expect([read.status, read.headers.get("etag")]).toEqual([304, tag]);
      }
      const patch = (ifMatch: string) =>
        directory.send("PATCH", path, { schemas: [PATCH], Operations: [change] }, { "If-Match": ifMatch });
      expect((await patch('W/"stale"')).status).toBe(412);
      const changed = (await patch(`"other", ${tag}`)).headers.get("etag");
      expect(changed).not.toBe(tag);
      expect((await directory.send("GET", path)).headers.get("etag")).toBe(changed);
      expect((await patch("*")).status).toBeLessThan(300);
    }
  });

  it("of a group change when a member is deleted", async () => {
    const id = await directory.addUser("leaver@acme.example");
    const path = `/Groups/${await directory.addGroup("Left", id)}`;
    const before = (await directory.send("GET", path)).headers.get("etag") ?? "";
    await directory.done("DELETE", `/Users/${id}`);
    const { status, body } = await directory.send("GET", path, undefined, { "If-None-Match": before });
    expect({ status, members: body["members"] }).toEqual({ status: 200, members: [] });
  });

  it("prevent a change or deletion of an outdated group", async () => {
    const id = await directory.addUser("guarded@acme.example");
    const group = await directory.addGroup("Guarded", id);
    const body = { Operations: [{ op: "remove", path: "members" }] };
    const stale = { "If-Match": 'W/"stale"' };
    expect((await directory.send("PATCH", `/Groups/${group}`, body, stale)).status).toBe(412);
    expect((await directory.send("DELETE", `/Groups/${group}`, undefined, stale)).status).toBe(412);
    expect(await directory.done("GET", `/Groups/${group}`)).toMatchObject({ members: [{ value: id }] });
  });

  it("let several changes at once all be made", async () => {
    const id = await directory.addUser("busy@acme.example");
    const paths = ["title", "nickName", "locale"];
    await Promise.all(paths.map((path) => directory.patch(`/Users/${id}`, { op: "add", path, value: path })));
    expect(await directory.done("GET", `/Users/${id}`)).toMatchObject({
      title: "title",
      nickName: "nickName",
      locale: "locale",
    });
  });
});

describe("a change by PATCH (RFC 7644 §3.5.2)", () => {
  const work = { value: "twice@acme.example", type: "work", primary: true };
  const patched = async (before: object, ...operations: readonly object[]) => {
    // Each call has its own addresses, because addresses belong to people, who stay.
    const domain = `${crypto.randomUUID()}.example`;
    const own = JSON.stringify([before, operations]).replaceAll(/acme\.example/gi, domain);
    const [user, changes] = JSON.parse(own) as [Record<string, unknown>, object[]];
    const id = await directory.addUser(`patched@${domain}`, user);
    const { status, body } = await directory.patch(`/Users/${id}`, ...changes);
    expect({ status, stored: await directory.done("GET", `/Users/${id}`) }).toEqual({ status: 200, stored: body });
    return JSON.parse(JSON.stringify(body).replaceAll(domain, "acme.example")) as Record<string, unknown>;
  };

  it.each<[string, object[], object[]]>([
    ["another type", [{ value: work.value, type: "home" }], [{ ...work, type: "home" }]],
    ["no type, in other letters", [{ value: "TWICE@acme.example" }], [{ ...work, value: "TWICE@acme.example" }]],
    ["the same type", [work], [work]],
    ["a new display name", [{ ...work, display: "Twice" }], [{ ...work, display: "Twice" }]],
    [
      "another address beside it, which becomes primary",
      [{ value: work.value }, { value: "new@acme.example", type: "other", primary: true }],
      [
        { ...work, primary: false },
        { value: "new@acme.example", type: "other", primary: true },
      ],
    ],
  ])("lists an email once that is added with %s", async (_name, value, emails) => {
    expect((await patched({ emails: [work] }, { op: "add", path: "emails", value }))["emails"]).toEqual(emails);
    expect((await patched({ emails: [work] }, { op: "add", value: { emails: value } }))["emails"]).toEqual(emails);
  });

  it("lists numbers, addresses and repetitions in one list once, too", async () => {
    const phoneNumbers = [{ value: "+1 425 555 0100", type: "mobile" }];
    const addresses = [{ formatted: "1 Main Street", country: "US", type: "work" }];
    const moved = await patched(
      { phoneNumbers, addresses },
      { op: "add", path: "phoneNumbers", value: [{ type: "work", value: "+1 425 555 0100" }] },
      { op: "add", path: "addresses", value: [{ type: "home", country: "US", formatted: "1 Main Street" }] },
    );
    expect(moved).toMatchObject({
      phoneNumbers: [{ value: "+1 425 555 0100", type: "work" }],
      addresses: [{ formatted: "1 Main Street", country: "US", type: "home" }],
    });
    expect([moved["phoneNumbers"], moved["addresses"]]).toMatchObject([{ length: 1 }, { length: 1 }]);
    const nickName = { op: "add", path: "nickName", value: "Twice" };
    expect((await patched({ emails: [work, work, { value: work.value, type: "work" }] }, nickName))["emails"]).toEqual([
      work,
    ]);
    const both = [work, { value: work.value, type: "home" }];
    expect((await patched({}, { op: "replace", path: "emails", value: [...both, work] }))["emails"]).toEqual(both);
    const home = { op: "add", path: 'emails[type eq "home"].value', value: work.value };
    expect((await patched({ emails: [work] }, home, home))["emails"]).toEqual(both);
  });

  it.each<[string, string | undefined, object[]]>([
    ['emails[type eq "fax"]', undefined, [work]],
    ['emails[value eq "nobody@acme.example"]', undefined, [work]],
    ['emails[type eq "fax"].display', undefined, [work]],
    ['emails[type eq "work" and value ew "example.com"]', undefined, [work]],
    ['emails[type eq "work" and value ew "ACME.example"]', undefined, []],
    ['emails[value co "twice"]', undefined, []],
    ['emails[not (value sw "twice")]', undefined, [work]],
    ['emails[type gt "work" or type lt "work"]', undefined, [work]],
    ['emails[type ge "work" and type le "work"]', undefined, []],
    ["emails", "other@acme.example", [work]],
    ["emails", "TWICE@acme.example", []],
    ["phoneNumbers", undefined, [work]],
    ["name.familyName", undefined, [work]],
  ])("removes what matches, and succeeds if nothing does: %s, value %s", async (path, value, emails) => {
    const removal = { op: "remove", path, ...(value === undefined ? {} : { value: [{ value }] }) };
    const left = await patched({ emails: [work], title: "Kept" }, removal, {
      op: "replace",
      path: "nickName",
      value: "Next",
    });
    expect(left).toMatchObject({ title: "Kept", nickName: "Next" });
    expect(left["emails"] ?? []).toEqual(emails);
  });

  it("removes only the named one of several addresses, and an object without values", async () => {
    const addresses = [{ formatted: "1 Main Street" }, { formatted: "2 Side Street" }];
    const named = { op: "remove", path: "addresses", value: [{ formatted: "2 Side Street" }] };
    expect((await patched({ addresses }, named))["addresses"]).toEqual([{ formatted: "1 Main Street" }]);
    const emptied = await patched(
      { name: { familyName: "Last" }, [ENTERPRISE]: { department: "Sales" }, emails: [{ display: "Only" }] },
      { op: "remove", path: "name.familyName" },
      { op: "remove", path: `${ENTERPRISE}:department` },
      { op: "remove", path: "emails.display" },
    );
    for (const name of ["name", ENTERPRISE, "emails"]) expect(emptied).not.toHaveProperty(name);
  });

  it("of a group changes no members by a path to a part of one", async () => {
    const id = await directory.addUser("part@acme.example");
    const path = `/Groups/${await directory.addGroup("Parts", id)}`;
    for (const [op, part, scimType] of [
      ["remove", `members[value eq "${id}"].display`, "mutability"],
      ["replace", "members.value", "mutability"],
      ["remove", "members.display", "mutability"],
      ["replace", 'displayName[value eq "x"]', "invalidPath"],
    ] as const) {
      expect(await directory.patch(path, { op, path: part, value: "x" })).toMatchObject({
        status: 400,
        body: { scimType },
      });
    }
    expect(await directory.done("GET", path)).toMatchObject({ displayName: "Parts", members: [{ value: id }] });
  });

  it("of a group succeeds if a member to remove is in no group", async () => {
    const id = await directory.addUser("stays@acme.example");
    const path = `/Groups/${await directory.addGroup("Staying", id)}`;
    for (const named of ['members[value eq "nobody"]', 'members[value eq "a" or value eq "b"]']) {
      expect((await directory.patch(path, { op: "remove", path: named })).status).toBe(204);
    }
    expect(await directory.done("GET", path)).toMatchObject({ members: [{ value: id }] });
  });

  it("of a group returns it if the request names attributes, and can't remove its displayName", async () => {
    const path = `/Groups/${await directory.addGroup("Named")}`;
    const patch = { schemas: [PATCH], Operations: [{ op: "replace", path: "displayName", value: "Renamed" }] };
    const { status, body } = await directory.send("PATCH", `${path}?attributes=displayName`, patch);
    expect({ status, body }).toMatchObject({ status: 200, body: { displayName: "Renamed" } });
    expect(body).not.toHaveProperty("members");
    const removal = await directory.patch(path, { op: "remove", path: "displayName" });
    expect(removal).toMatchObject({ status: 400, body: { scimType: "mutability" } });
  });
});

describe("invalid SCIM input", () => {
  it.each([
    ["POST", "/Users", "{", "invalidSyntax"],
    ["POST", "/Users", "", "invalidSyntax"],
    ["POST", "/Users", "[]", "invalidSyntax"],
    ["PUT", "/Users/:id", '"text"', "invalidSyntax"],
    ["PATCH", "/Users/:id", '{"Operations":', "invalidSyntax"],
    ["POST", "/Groups", "nothing", "invalidSyntax"],
    ["POST", "/Bulk", "{", "invalidSyntax"],
    ["POST", "/Users", `{"x":${"[".repeat(200)}${"]".repeat(200)}}`, "invalidSyntax"],
    ["POST", "/Bulk", `{"Operations":${"[".repeat(200)}${"]".repeat(200)}}`, "invalidSyntax"],
    ["GET", "/Users?filter=%zz", undefined, "invalidSyntax"],
    ["GET", `/Users?filter=${"x".repeat(5000)}`, undefined, "invalidFilter"],
    ["GET", `/Users?filter=${"x".repeat(9000)}`, undefined, "invalidSyntax"],
    ["POST", "/Users", '{"userName":"a@acme.example","userName":"b@acme.example"}', "invalidSyntax"],
    // Attribute names are case-insensitive (RFC 7643 §2.1).
    ["POST", "/Users", { userName: "x@acme.example", active: false, Active: true }, "invalidSyntax"],
    ["PATCH", "/Users/:id", { Operations: [{ op: "replace", value: { title: "a", Title: "b" } }] }, "invalidSyntax"],
    [
      "POST",
      "/Users",
      {
        userName: "x@acme.example",
        emails: ["a@acme.example", "b@acme.example"].map((value) => ({ value, primary: true })),
      },
      "invalidValue",
    ],
    ["POST", "/Users", {}, "invalidValue"],
    ["POST", "/Users", { userName: "no-address" }, "invalidValue"],
    ["POST", "/Users", { userName: "x@acme.example", emails: [{ value: "nonsense", primary: true }] }, "invalidValue"],
    ["POST", "/Users", { userName: "x@acme.example", active: "perhaps" }, "invalidValue"],
    ["POST", "/Users", { userName: "x@acme.example", title: "x".repeat(2000) }, "invalidValue"],
    [
      "POST",
      "/Users",
      { userName: "x@acme.example", emails: Array.from({ length: 60 }, () => ({ value: "x" })) },
      "invalidValue",
    ],
    ["POST", "/Groups", {}, "invalidValue"],
    ["POST", "/Groups", { displayName: "HTTPS://idp.example|finance" }, "invalidValue"],
    ["POST", "/Groups", { displayName: "finance\u0000" }, "invalidValue"],
    ["POST", "/Groups", { displayName: "finance\ud800" }, "invalidValue"],
    ["POST", "/Groups", { displayName: "\u202eecnanif" }, "invalidValue"],
    ["POST", "/Groups", { displayName: "G", members: [{ value: "nobody" }] }, "invalidValue"],
    [
      "POST",
      "/Groups",
      { displayName: "G", members: Array.from({ length: 5001 }, (_, at) => ({ value: `${at}` })) },
      "tooMany",
    ],
    ["PATCH", "/Users/:id", { schemas: [PATCH] }, "invalidSyntax"],
    ["PATCH", "/Users/:id", { Operations: [{ op: "move", path: "title" }] }, "invalidSyntax"],
    ["PATCH", "/Users/:id", { Operations: [{ op: "add", path: "__proto__", value: { x: "y" } }] }, "invalidPath"],
    ["PATCH", "/Users/:id", { Operations: [{ op: "replace", path: "emails[", value: "x" }] }, "invalidPath"],
    ["PATCH", "/Users/:id", { Operations: [{ op: "replace", path: 'title[type eq "x"]', value: "x" }] }, "invalidPath"],
    ["PATCH", "/Users/:id", { Operations: [{ op: "remove", path: "userName" }] }, "mutability"],
    ["PATCH", "/Users/:id", { Operations: [{ op: "remove" }] }, "noTarget"],
    [
      "PATCH",
      "/Users/:id",
      { Operations: [{ op: "replace", path: 'emails[type ne "home"].value', value: "x@y.example" }] },
      "noTarget",
    ],
    [
      "PATCH",
      "/Users/:id",
      { Operations: [{ op: "replace", path: 'emails[type eq "a" or type eq "b"].value', value: "x@y.example" }] },
      "noTarget",
    ],
    ["PATCH", "/Users/:id", { Operations: [{ op: "add", path: 'emails[type eq "work"]' }] }, "invalidValue"],
    [
      "PATCH",
      "/Users/:id",
      { Operations: [{ op: "replace", path: 'emails[type eq "work"]', value: null }] },
      "invalidValue",
    ],
    [
      "PATCH",
      "/Users/:id",
      { Operations: Array.from({ length: 101 }, () => ({ op: "remove", path: "title" })) },
      "tooMany",
    ],
    [
      "PATCH",
      "/Users/:id",
      {
        Operations: [{ op: "add", value: Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`a${at}`, "x"])) }],
      },
      "tooMany",
    ],
    [
      "PATCH",
      "/Users/:id",
      {
        Operations: [
          { op: "add", path: "constructor", value: { admin: true } },
          { op: "remove", path: "userName" },
        ],
      },
      "mutability",
    ],
  ])("gets a 400 in SCIM's error format: %s %s %j", async (method, path, body, scimType) => {
    const id = path.includes(":id") ? await directory.addUser(`bad${crypto.randomUUID()}@acme.example`) : "";
    const answer = await directory.send(method, path.replace(":id", id), body);
    expect(answer).toMatchObject({ status: 400, body: { schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"] } });
    expect(answer.body["scimType"]).toBe(scimType);
  });

  it("gets a 413 with a scimType if it is too long", async () => {
    const long = JSON.stringify({ userName: "long@acme.example", title: "x".repeat(1024 * 1024) });
    for (const path of ["/Users", "/Groups", "/Bulk"]) {
      const answer = await directory.send("POST", path, long);
      expect(answer).toMatchObject({ status: 413, body: { status: "413", scimType: "tooMany" } });
    }
  });

  it("is ignored if it names a part of a plural attribute outside its elements", async () => {
    const userName = "parts@acme.example";
    const { status, body } = await directory.send("POST", "/Users", { userName, "emails.value": "x@acme.example" });
    expect({ status, emails: body["emails"] }).toEqual({ status: 201, emails: undefined });
    const emails = [{ type: "work", value: userName }];
    const work = { op: "add", path: 'emails[type eq "work"].value', value: userName };
    expect(await directory.patch(`/Users/${String(body["id"])}`, work)).toMatchObject({
      status: 200,
      body: { emails },
    });
    expect(await directory.find("Users", `emails[type eq "work"].value eq "${userName}"`)).toHaveLength(1);
  });

  it("is converted where the guide says so", async () => {
    const { status, body } = await directory.send("POST", "/Users", {
      userName: "converted@acme.example",
      title: 7,
      nickName: true,
      name: "Con Verted",
      emails: "converted@acme.example",
      addresses: ["1 Main Street"],
      phoneNumbers: { value: 5550100, primary: "True" },
      active: "TRUE",
      [ENTERPRISE]: { manager: ["26118915"], employeeNumber: 701984 },
    });
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        title: "7",
        nickName: "true",
        name: { formatted: "Con Verted" },
        emails: [{ value: "converted@acme.example" }],
        addresses: [{ formatted: "1 Main Street" }],
        phoneNumbers: [{ value: "5550100", primary: true }],
        active: true,
        [ENTERPRISE]: { manager: { value: "26118915" }, employeeNumber: "701984" },
      },
    });
    for (const wrong of [
      { title: {} },
      { title: ["x"] },
      { active: 1 },
      { emails: [5] },
      { name: 5 },
      { name: { givenName: [] } },
    ]) {
      const answer = await directory.send("POST", "/Users", { userName: "wrong@acme.example", ...wrong });
      expect({ wrong, answer }).toMatchObject({ answer: { status: 400, body: { scimType: "invalidValue" } } });
    }
  });

  it("gets a 404, 405 or 415 in the same format", async () => {
    expect(await directory.send("GET", "/Nothing")).toMatchObject({ status: 404, body: { status: "404" } });
    expect(await directory.send("POST", "/Schemas", {})).toMatchObject({ status: 405, body: { status: "405" } });
    const text = { "Content-Type": "text/plain" };
    expect(await directory.send("POST", "/Users", "{}", text)).toMatchObject({ status: 415, body: { status: "415" } });
  });
});

describe("discovery (RFC 7644 §4)", () => {
  it("says which features are supported", async () => {
    expect(await directory.done("GET", "/ServiceProviderConfig")).toMatchObject({
      patch: { supported: true },
      filter: { supported: true, maxResults: 200 },
      etag: { supported: true },
      bulk: { supported: true, maxOperations: 20, maxPayloadSize: 1_048_576 },
      sort: { supported: false },
    });
  });

  it("describes users and groups, in a list and each by its id", async () => {
    for (const [path, ids] of [
      ["/ResourceTypes", ["User", "Group"]],
      ["/Schemas", [USER, ENTERPRISE, GROUP]],
    ] as const) {
      const list = await directory.done("GET", path);
      const described = list["Resources"] as { id: string; meta: { location: string } }[];
      expect(described.map(({ id }) => id)).toEqual(ids);
      for (const one of described) {
        expect(await directory.done("GET", `${path}/${one.id}`)).toEqual(one);
        expect(one.meta.location).toBe(`http://acme.localhost/scim/v2${path}/${one.id}`);
      }
    }
    expect((await directory.send("GET", "/Schemas/nothing")).status).toBe(404);
  });
});

describe("a bulk request (RFC 7644 §3.7)", () => {
  const bulk = async (operations: readonly unknown[], rest: Readonly<Record<string, unknown>> = {}) => {
    const answer = await directory.done("POST", "/Bulk", { Operations: operations, ...rest });
    return answer["Operations"] as Readonly<Record<string, string>>[];
  };
  const user = (bulkId: string, userName: string) => ({ method: "POST", path: "/Users", bulkId, data: { userName } });
  const group = (bulkId: string, ...members: string[]) => ({
    method: "POST",
    path: "/Groups",
    bulkId,
    data: { displayName: `Bulk ${bulkId}`, members: members.map((value) => ({ value: `bulkId:${value}` })) },
  });

  it("creates a group before the users that it names as members, and changes them", async () => {
    const shut = {
      method: "PATCH",
      path: "/Users/bulkId:b",
      data: { schemas: [PATCH], Operations: [{ op: "replace", path: "active", value: false }] },
    };
    const made = await bulk([group("g", "a", "b"), user("a", "a@bulk.example"), user("b", "b@bulk.example"), shut]);
    expect(made).toMatchObject([
      { method: "POST", bulkId: "g", status: "201" },
      { method: "POST", bulkId: "a", status: "201" },
      { method: "POST", bulkId: "b", status: "201" },
      { method: "PATCH", status: "200" },
    ]);
    const [ofGroup = "", , ofUser = ""] = made.map(({ location = "" }) => location.split("/scim/v2")[1] ?? "");
    expect((await directory.done("GET", ofGroup))["members"]).toHaveLength(2);
    expect(await directory.done("GET", ofUser)).toMatchObject({ active: false });
    const stale = { method: "PUT", path: ofUser, version: 'W/"old"', data: { userName: "b@bulk.example" } };
    expect(await bulk([stale, { method: "DELETE", path: ofGroup }])).toMatchObject([
      { status: "412", location: made[2]?.["location"] },
      { status: "204", location: made[0]?.["location"] },
    ]);
  });

  it("refuses a version that isn't a string, instead of ignoring it", async () => {
    const put = { method: "PUT", path: "/Users/any", version: 1, data: { userName: "any@bulk.example" } };
    expect(await bulk([put])).toMatchObject([{ status: "400" }]);
  });

  it("continues after an error, and stops after failOnErrors errors", async () => {
    const bad = user("x", "");
    const wrong = { method: "GET", path: "/Users/1" };
    const unreadable = { method: { toString: 1 }, path: "/Users", bulkId: "u", data: {} };
    const answers = await bulk([bad, user("c", "c@bulk.example"), wrong, user("d", "d@bulk.example"), unreadable]);
    expect(answers.map(({ status }) => status)).toEqual(["400", "201", "400", "201", "400"]);
    expect(answers[0]).toMatchObject({ response: { status: "400", detail: expect.any(String) } });
    expect(await bulk([bad, user("e", "e@bulk.example")], { failOnErrors: 1 })).toHaveLength(1);
    expect(await directory.find("Users", 'userName eq "e@bulk.example"')).toEqual([]);
  });

  it.each<[string, number, unknown]>([
    ["no list", 400, { Operations: {} }],
    ["operations that are no objects", 400, { Operations: [1] }],
    ["failOnErrors of zero", 400, { Operations: [], failOnErrors: 0 }],
    ["failOnErrors of one and a half", 400, { Operations: [], failOnErrors: 1.5 }],
    ["too many operations", 413, { Operations: Array.from({ length: 21 }, () => ({})) }],
    [
      "two operations with one bulkId",
      400,
      { Operations: [user("same", "one@bulk.example"), user("same", "two@bulk.example")] },
    ],
    [
      "a creation and a change with one bulkId",
      400,
      { Operations: [user("same", "one@bulk.example"), { ...group("same"), method: "PATCH" }] },
    ],
  ])("is refused as a whole with %s", async (_name, status, body) => {
    const scimType = status === 400 ? "invalidSyntax" : "tooMany";
    const answer = await directory.send("POST", "/Bulk", body);
    expect(answer).toMatchObject({ status, body: { status: String(status), scimType } });
    expect(await directory.find("Users", 'userName sw "one@bulk"')).toEqual([]);
  });

  it("refuses an unknown bulkId, two operations that refer to each other, and deeply nested data", async () => {
    const answers = await bulk([group("one", "nobody"), group("two", "three"), group("three", "two")]);
    expect(answers.map(({ status }) => status)).toEqual(["400", "400", "400"]);
    const nested = "[".repeat(50) + "]".repeat(50);
    const deep = `{"Operations":[{"method":"POST","path":"/Users","bulkId":"deep","data":{"x":${nested}}}]}`;
    expect(await directory.done("POST", "/Bulk", deep)).toMatchObject({ Operations: [{ status: "400" }] });
  });
});

describe("the SCIM endpoint /Me (RFC 7644 §3.11)", () => {
  it.each(["GET", "PATCH"])("is not implemented: %s", async (method) => {
    expect(await directory.send(method, "/Me")).toMatchObject({ status: 501, body: { status: "501" } });
  });
});
