import { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { D1DirectoryUsers } from "#directories/directory-users.d1.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { D1PeopleStandings } from "#people/person.d1.ts";
import { readPatch } from "#scim/patch-request.ts";
import { DIRECTORY_AUTHORITY } from "#scim/gate-middleware.ts";
import type { DirectoryCall } from "#scim/directory-call.ts";
import { patchUser, removeUser } from "#scim/user-provisioning.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { DirectoryClient } from "../support/scim.ts";
import { makeInstance, setDeactivated } from "../support/world.ts";
import { audited } from "../support/audited.ts";

let acme: InstanceRecord;
let okta: DirectoryClient;

beforeAll(async () => {
  acme = await makeInstance();
  okta = await DirectoryClient.of(acme);
});

const setting = (value: boolean) => ({ op: "replace", path: "active", value });
const turn = (isOn: boolean) => readPatch({ Operations: [setting(isOn)] });

/** A request that waits for something else before it reactivates the person, or writes or removes the user. */
function interrupted(before: { reactivate?: () => Promise<unknown>; write?: () => Promise<unknown> }) {
  const store = new D1DirectoryUsers(audited());
  const { people } = servicesOf(env).administrationWithin({
    instance: acme,
    actor: "directory:okta",
    authority: DIRECTORY_AUTHORITY,
  });
  let isFirst = true;
  const once = async (wait?: () => Promise<unknown>) => {
    const isNow = isFirst;
    isFirst = false;
    if (isNow) await wait?.();
  };
  const users: Pick<D1DirectoryUsers, keyof D1DirectoryUsers> = {
    add: async (...all) => store.add(...all),
    find: async (...all) => store.find(...all),
    list: async (...all) => store.list(...all),
    replace: async (...all) => {
      await once(before.write);
      return store.replace(...all);
    },
    remove: async (...all) => {
      await once(before.write);
      return store.remove(...all);
    },
  };
  const call: DirectoryCall = {
    directory: { instanceId: acme.id, name: "okta" },
    users,
    groups: new D1DirectoryGroups(audited()),
    people: new D1PeopleStandings(audited()),
    acts: () => ({
      deactivate: async (...all) => people.deactivate(...all),
      reactivate: async (...all) => {
        await before.reactivate?.();
        return people.reactivate(...all);
      },
    }),
    ifMatch: undefined,
  };
  return call;
}

const isOut = async (email: string) => (await knownPerson(acme, email)).deactivatedAt !== null;

describe("the person whom a directory deactivated last", () => {
  it("stays out if an earlier request to reactivate them is only completed now", async () => {
    const id = await okta.addUser("late.on@acme.example", { active: false });
    const call = interrupted({ reactivate: () => okta.patch(`/Users/${id}`, setting(false)) });
    await patchUser(call, id, turn(true));
    expect(await okta.done("GET", `/Users/${id}`)).toMatchObject({ active: false });
    expect(await isOut("late.on@acme.example")).toBe(true);
  });

  it.each(["is written as inactive", "is removed"])(
    "stays out if they are reactivated just before the user %s",
    async (how) => {
      const email = `late.off.${how.length}@acme.example`;
      const id = await okta.addUser(email, { active: false });
      const { promise: written, resolve: letIn } = Promise.withResolvers<void>();
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      const on = interrupted({
        reactivate: async () => {
          reach();
          await written;
        },
      });
      const turningOn = patchUser(on, id, turn(true));
      await reached;
      const off = interrupted({
        write: async () => {
          letIn();
          await turningOn;
        },
      });
      await (how === "is removed" ? removeUser(off, id) : patchUser(off, id, turn(false)));
      expect(await isOut(email)).toBe(true);
    },
  );
});

describe("an active user of a directory", () => {
  it("is reactivated by the next change if the one before was interrupted", async () => {
    await okta.addUser("taken@acme.example");
    const id = await okta.addUser("half@acme.example");
    const both = { op: "replace", value: { active: false, userName: "taken@acme.example" } };
    expect((await okta.patch(`/Users/${id}`, both)).status).toBe(409);
    expect(await isOut("half@acme.example")).toBe(true);
    expect(await okta.patch(`/Users/${id}`, setting(true))).toMatchObject({ status: 200, body: { active: true } });
    expect(await isOut("half@acme.example")).toBe(false);
  });

  it("is not reactivated if an administrator deactivated them", async () => {
    const id = await okta.addUser("decided@acme.example");
    await setDeactivated(acme, "decided@acme.example");
    for (const change of [setting(true), { op: "add", path: "title", value: "x" }])
      await okta.patch(`/Users/${id}`, change);
    expect(await isOut("decided@acme.example")).toBe(true);
  });
});

describe("an owner", () => {
  it("can't become an inactive user, and the refused user is not stored", async () => {
    const { people } = servicesOf(env).administrationOf(acme, "test");
    await people.nameRole("boss@acme.example", "owner");
    const user = { userName: "boss@acme.example" };
    expect(await okta.send("POST", "/Users", { ...user, active: false })).toMatchObject({
      status: 400,
      body: { scimType: "mutability" },
    });
    expect(await okta.send("POST", "/Users", user)).toMatchObject({ status: 201, body: { active: true } });
  });
});
