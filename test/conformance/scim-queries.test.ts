import { beforeAll, describe, expect, it } from "vitest";
import { DirectoryClient, ENTERPRISE, GROUP, USER } from "../support/scim.ts";
import { makeInstance } from "../support/world.ts";

let directory: DirectoryClient;
let group: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  directory = await DirectoryClient.of(await makeInstance());
  ids["barbara"] = await directory.addUser("barbara@example.com", {
    userName: "bjensen",
    externalId: "701984",
    title: "Tour Guide",
    userType: "Employee",
    name: { formatted: "Barbara O'Malley", familyName: "O'Malley", givenName: "Barbara" },
    emails: [
      { value: "barbara@example.com", type: "work", primary: true },
      { value: "barbara@home.example", type: "home" },
    ],
    ims: [{ value: "barbara@chat.example", type: "xmpp" }],
    addresses: [
      { type: "work", streetAddress: "100 Universal City Plaza", locality: "Hollywood" },
      { type: "home", locality: "Burbank" },
    ],
    [ENTERPRISE]: { department: "Tours", manager: { value: "26118915", displayName: "John Smith" } },
  });
  ids["ines"] = await directory.addUser("ines@example.org", {
    userType: "Intern",
    title: "",
    emails: [{ value: "ines@example.org", type: "home", primary: true }],
  });
  // Without emails, the userName is the person's address.
  ids["plain"] = await directory.addUser("plain@example.net");
  group = await directory.addGroup("Tours", ids["barbara"], ids["ines"]);
});

const nameOf = (id: unknown) => Object.keys(ids).find((name) => ids[name] === id);

describe("a filter (RFC 7644 §3.4.2.2)", () => {
  it.each<[string, string[]]>([
    // The RFC's own examples, with this page's users.
    ['userName eq "bjensen"', ["barbara"]],
    [`name.familyName co "O'Malley"`, ["barbara"]],
    ['userName sw "B"', ["barbara"]],
    [`${USER}:userName sw "B"`, ["barbara"]],
    ["title pr", ["barbara"]],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"', ["barbara", "ines", "plain"]],
    ['meta.lastModified ge "2011-05-13T04:42:34Z"', ["barbara", "ines", "plain"]],
    ['meta.lastModified lt "2011-05-13T04:42:34Z"', []],
    ['meta.lastModified le "2011-05-13T04:42:34Z"', []],
    ['title pr and userType eq "Employee"', ["barbara"]],
    ['title pr or userType eq "Intern"', ["barbara", "ines"]],
    [`schemas eq "${ENTERPRISE}"`, ["barbara"]],
    ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")', ["barbara"]],
    ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")', ["plain"]],
    ['userType eq "Employee" and (emails.type eq "work")', ["barbara"]],
    ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]', ["barbara"]],
    ['emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]', ["barbara"]],
    // Their neighbours.
    ['ims.type eq "xmpp"', ["barbara"]],
    ['emails.type eq "HOME"', ["barbara", "ines"]],
    ['not (emails.type eq "work")', ["ines", "plain"]],
    ["emails.primary eq true", ["barbara", "ines"]],
    ['addresses.locality sw "holly"', ["barbara"]],
    ['emails co "home.example"', ["barbara"]],
    ['emails.value ew "@HOME.example"', ["barbara"]],
    ['emails[type eq "home" and value ew "example.com"]', []],
    ["emails pr", ["barbara", "ines"]],
    ["emails.value pr", ["barbara", "ines"]],
    ["emails.display pr", []],
    ["not (addresses pr)", ["ines", "plain"]],
    ["name pr", ["barbara"]],
    [`${ENTERPRISE}:manager pr`, ["barbara"]],
    [`${ENTERPRISE}:manager.displayName co "smith"`, ["barbara"]],
    [`not (schemas eq "${ENTERPRISE}") and schemas eq "${USER}"`, ["ines", "plain"]],
    [`schemas ne "${USER}"`, ["barbara"]],
    // An index finds the address that identifies the person.
    ['emails.value eq "plain@example.net"', ["plain"]],
    ['emails eq "barbara@home.example"', []],
    ['emails[value eq "barbara@home.example"]', ["barbara"]],
  ])("finds users: %s", async (filter, names) => {
    expect((await directory.find("Users", filter)).map(({ id }) => nameOf(id))).toEqual(names);
  });

  it("finds groups by their schema and their members", async () => {
    for (const [filter, count] of [
      [`schemas eq "${GROUP}"`, 1],
      [`schemas eq "${USER}"`, 0],
      ["members pr", 1],
      [`members.value eq "${ids["ines"]}"`, 1],
      [`not (members[value eq "${ids["ines"]}"])`, 0],
    ] as const) {
      expect({ filter, found: (await directory.find("Groups", filter)).length }).toEqual({ filter, found: count });
    }
  });

  it.each(['emails.nothing eq "x"', "name.nothing pr", "schemas.type pr", 'addresses eq "x"', 'userName.x eq "y"'])(
    "is refused for an attribute that users don't have: %s",
    async (filter) => {
      const answer = await directory.send("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect(answer).toMatchObject({ status: 400, body: { scimType: "invalidFilter" } });
    },
  );

  it.each(["/ServiceProviderConfig", "/ResourceTypes", "/ResourceTypes/User", "/Schemas", `/Schemas/${USER}`])(
    "is refused at %s, instead of ignored (RFC 7644 §4)",
    async (path) => {
      const answer = await directory.send("GET", `${path}?filter=${encodeURIComponent('id eq "User"')}`);
      expect(answer).toMatchObject({ status: 403, body: { status: "403" } });
      expect((await directory.send("GET", `${path}?count=1&attributes=id`)).status).toBe(200);
    },
  );
});

describe("requested attributes (RFC 7644 §3.9)", () => {
  const read = async (query: string) => {
    const { id, schemas, ...rest } = await directory.done("GET", `/Users/${ids["barbara"]}?${query}`);
    expect([id, schemas]).toEqual([ids["barbara"], [USER, ENTERPRISE]]);
    return rest;
  };
  const manager = { value: "26118915", displayName: "John Smith" };

  it.each<[string, unknown]>([
    ["attributes=name.familyName", { name: { familyName: "O'Malley" } }],
    ["attributes=NAME.FamilyName,title", { name: { familyName: "O'Malley" }, title: "Tour Guide" }],
    ["attributes=title&attributes=userType", { title: "Tour Guide", userType: "Employee" }],
    [`attributes=${USER}:name.givenName, title`, { name: { givenName: "Barbara" }, title: "Tour Guide" }],
    ["attributes=emails.type", { emails: [{ type: "work" }, { type: "home" }] }],
    [
      "attributes=emails.type,emails.value,ims.value",
      {
        emails: [
          { value: "barbara@example.com", type: "work" },
          { value: "barbara@home.example", type: "home" },
        ],
        ims: [{ value: "barbara@chat.example" }],
      },
    ],
    ["attributes=addresses.streetAddress", { addresses: [{ streetAddress: "100 Universal City Plaza" }] }],
    [
      "attributes=name,name.familyName",
      {
        name: { formatted: "Barbara O'Malley", familyName: "O'Malley", givenName: "Barbara" },
      },
    ],
    [`attributes=${ENTERPRISE}:department`, { [ENTERPRISE]: { department: "Tours" } }],
    [`attributes=${ENTERPRISE}:manager.value`, { [ENTERPRISE]: { manager: { value: "26118915" } } }],
    ["attributes=manager", { [ENTERPRISE]: { manager } }],
    [`attributes=${ENTERPRISE}`, { [ENTERPRISE]: { department: "Tours", manager } }],
    ["attributes=meta.resourceType", { meta: { resourceType: "User" } }],
    ["attributes=groups.display", { groups: [{ display: "Tours" }] }],
    ["attributes=name.nothing,userName.nothing,nothing", {}],
    ["attributes=title&excludedAttributes=title", { title: "Tour Guide" }],
  ])("are the only ones in a response: %s", async (query, expected) => {
    expect(await read(query)).toEqual(expected);
  });

  it("are left out if they are excluded, and their neighbours stay", async () => {
    const whole = await read("");
    const without = (changes: object) => ({ ...whole, ...changes });
    const name = { formatted: "Barbara O'Malley", givenName: "Barbara" };
    expect(await read("excludedAttributes=name.familyName")).toEqual(without({ name }));
    expect(await read(`excludedAttributes=${USER}:name.familyName,nothing.else`)).toEqual(without({ name }));
    const emails = [{ value: "barbara@example.com", primary: true }, { value: "barbara@home.example" }];
    expect(await read("excludedAttributes=emails.type")).toEqual(without({ emails }));
    const addresses = [{ streetAddress: "100 Universal City Plaza", type: "work" }, { type: "home" }];
    expect(await read("excludedAttributes=addresses.locality")).toEqual(without({ addresses }));
    const { ims: _, ...rest } = whole;
    expect(await read("excludedAttributes=ims.type,ims.value")).toEqual(rest);
    expect(await read(`excludedAttributes=${ENTERPRISE}:department`)).toEqual(without({ [ENTERPRISE]: { manager } }));
    expect(await read("excludedAttributes=id,schemas,schemas.value")).toEqual(whole);
  });

  it("are selected in lists, groups and the responses to changes alike", async () => {
    const list = await directory.done(
      "GET",
      `/Users?filter=${encodeURIComponent("title pr")}&attributes=name.givenName`,
    );
    expect(list["Resources"]).toMatchObject([{ name: { givenName: "Barbara" } }]);
    expect(JSON.stringify(list)).not.toContain("Malley");
    const members = expect.arrayContaining([{ value: ids["barbara"] }, { value: ids["ines"] }]) as unknown;
    for (const query of ["attributes=members.value", "excludedAttributes=members.display,members.$ref"]) {
      expect((await directory.done("GET", `/Groups/${group}?${query}`))["members"]).toEqual(members);
    }
    const made = { userName: "made@example.com", name: { givenName: "Made", familyName: "Up" } };
    const created = await directory.send("POST", "/Users?excludedAttributes=name.givenName", made);
    expect(created).toMatchObject({ status: 201, body: { name: { familyName: "Up" } } });
    expect(created.body["name"]).not.toHaveProperty("givenName");
    await directory.done("DELETE", `/Users/${String(created.body["id"])}`);
  });
});
