import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { DirectoryClient } from "../support/scim.ts";
import { makeInstance, setDeactivated } from "../support/world.ts";
import { runs } from "../support/properties.ts";

/** The next act of a directory or an administrator. Numbers choose among what exists. */
type Step =
  | { readonly kind: "create" | "rename"; readonly user: number; readonly email: number; readonly flag: boolean }
  | { readonly kind: "active"; readonly user: number; readonly spelling: number; readonly flag: boolean }
  | { readonly kind: "delete"; readonly user: number }
  | {
      readonly kind: "group" | "rename group";
      readonly group: number;
      readonly name: number;
      readonly users: readonly number[];
    }
  | {
      readonly kind: "members";
      readonly group: number;
      readonly change: "add" | "remove" | "replace";
      readonly users: readonly number[];
      readonly spelling: number;
    }
  | { readonly kind: "delete group"; readonly group: number }
  | { readonly kind: "administrator"; readonly email: number; readonly flag: boolean };

const few = fc.nat({ max: 4 });
const some = fc.uniqueArray(few, { maxLength: 3 });
const kind = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);

const histories = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: kind("create"), user: few, email: few, flag: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: kind("rename"), user: few, email: few, flag: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ kind: kind("active"), user: few, spelling: few, flag: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("delete"), user: few }) },
    { weight: 3, arbitrary: fc.record({ kind: kind("group"), group: few, name: few, users: some }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("rename group"), group: few, name: few, users: some }) },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: kind("members"),
        group: few,
        change: kind("add", "remove", "replace"),
        users: some,
        spelling: few,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: kind("delete group"), group: few }) },
    { weight: 2, arbitrary: fc.record({ kind: kind("administrator"), email: few, flag: fc.boolean() }) },
  ),
  { minLength: 5, maxLength: 30 },
);

interface Person {
  email: string;
  /** Who deactivated them. */
  outBy: "directory" | "administrator" | null;
}

interface User {
  readonly person: Person;
  isActive: boolean;
}

let instance: InstanceRecord;
let worlds = 0;

beforeAll(async () => {
  instance = await makeInstance();
});

/** A directory and an administrator, with a model in plain sets of what they should lead to. */
class World {
  readonly #name = `d${(worlds += 1)}`;
  readonly #people: Person[] = [];
  readonly #users = new Map<string, User>();
  readonly #groups = new Map<string, { name: string; members: Set<string> }>();
  #client = new DirectoryClient("");

  async begin(): Promise<this> {
    this.#client = await DirectoryClient.of(instance, this.#name);
    return this;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "create":
        return this.#create(this.#email(step.email), step.flag);
      case "rename":
        return this.#rename(pick(this.#users, step.user), this.#email(step.email), step.flag);
      case "active":
        return this.#setActive(pick(this.#users, step.user), step.flag, step.spelling);
      case "delete":
        return this.#delete(pick(this.#users, step.user));
      case "group":
        return this.#createGroup(this.#group(step.name), this.#members(step.users));
      case "rename group":
        return this.#renameGroup(pick(this.#groups, step.group), this.#group(step.name));
      case "members":
        return this.#changeMembers(
          pick(this.#groups, step.group),
          step.change,
          this.#members(step.users),
          step.spelling,
        );
      case "delete group":
        return this.#deleteGroup(pick(this.#groups, step.group));
      case "administrator":
      default:
        return this.#decide(this.#email(step.email), step.flag);
    }
  }

  /** Compares everybody's groups for documents, as a search reads them, with the model. */
  async compare(): Promise<void> {
    for (let at = 0; at <= 4; at += 1) {
      const email = this.#email(at);
      const seer = await servicesOf(env).seers.byEmail(instance.id, email);
      const groups = seer?.directoryGroups.toSorted() ?? null;
      expect({ email, groups }).toEqual({ email, groups: this.#expected(email) });
    }
  }

  #expected(email: string): string[] | null {
    const person = this.#people.find((each) => each.email === email);
    if (person && person.outBy !== null) return null;
    const [id] = [...this.#users].find(([, user]) => user.person === person) ?? [];
    return [...this.#groups.values()]
      .filter(({ members }) => id !== undefined && members.has(id))
      .map(({ name }) => name.toLowerCase())
      .toSorted();
  }

  async #create(email: string, isActive: boolean): Promise<void> {
    const person = this.#people.find((each) => each.email === email);
    const isTaken = [...this.#users.values()].some((user) => user.person === person);
    const { status, body } = await this.#client.send("POST", "/Users", { userName: email, active: isActive });
    expect(status).toBe(isTaken ? 409 : 201);
    if (isTaken) return;
    const user: User = { person: person ?? { email, outBy: null }, isActive };
    if (!person) this.#people.push(user.person);
    this.#users.set(String(body["id"]), user);
    settle(user.person, isActive);
  }

  async #rename([id, user]: Entry<User>, email: string, isWhole: boolean): Promise<void> {
    if (!user) return;
    const isTaken = this.#people.some((person) => person.email === email && person !== user.person);
    const { status } = isWhole
      ? await this.#client.send("PUT", `/Users/${id}`, { userName: email })
      : await this.#client.patch(`/Users/${id}`, { op: "Replace", path: "userName", value: email });
    expect(status).toBe(isTaken ? 409 : 200);
    if (!user.isActive) settle(user.person, false);
    if (!isTaken) user.person.email = email;
  }

  async #setActive([id, user]: Entry<User>, flag: boolean, spelling: number): Promise<void> {
    if (!user) return;
    const operation = [
      { op: "replace", value: { active: flag } },
      { op: "Replace", path: "active", value: flag ? "True" : "False" },
      { op: "Add", path: "active", value: flag },
    ][spelling % 3];
    expect((await this.#client.patch(`/Users/${id}`, operation)).status).toBe(200);
    if (!flag || !user.isActive) settle(user.person, flag);
    user.isActive = flag;
  }

  async #delete([id, user]: Entry<User>): Promise<void> {
    if (!user) return;
    expect((await this.#client.send("DELETE", `/Users/${id}`)).status).toBe(204);
    settle(user.person, false);
    this.#users.delete(id);
    for (const { members } of this.#groups.values()) members.delete(id);
  }

  async #createGroup(name: string, users: string[]): Promise<void> {
    const isTaken = [...this.#groups.values()].some((group) => group.name.toLowerCase() === name.toLowerCase());
    const members = users.map((value) => ({ value }));
    const { status, body } = await this.#client.send("POST", "/Groups", { displayName: name, members });
    expect(status).toBe(isTaken ? 409 : 201);
    if (!isTaken) this.#groups.set(String(body["id"]), { name, members: new Set(users) });
  }

  async #renameGroup([id, group]: Entry<{ name: string }>, name: string): Promise<void> {
    if (!group) return;
    const isTaken = [...this.#groups].some(([other, each]) => other !== id && each.name === name);
    const { status } = await this.#client.patch(`/Groups/${id}`, { op: "replace", value: { displayName: name } });
    expect(status).toBe(isTaken ? 409 : 204);
    if (!isTaken) group.name = name;
  }

  async #changeMembers(
    [id, group]: Entry<{ members: Set<string> }>,
    change: "add" | "remove" | "replace",
    users: string[],
    spelling: number,
  ): Promise<void> {
    if (!group) return;
    const value = users.map((user) => ({ value: user }));
    const operations =
      change === "remove" && spelling === 0
        ? users.map((user) => ({ op: "remove", path: `members[value eq "${user}"]` }))
        : [spelling % 2 === 0 ? { op: change, path: "members", value } : { op: change, value: { members: value } }];
    if (operations.length === 0) return;
    expect((await this.#client.patch(`/Groups/${id}`, ...operations)).status).toBe(204);
    if (change === "replace") group.members.clear();
    for (const user of users) {
      if (change === "remove") group.members.delete(user);
      else group.members.add(user);
    }
  }

  async #deleteGroup([id, group]: Entry<object>): Promise<void> {
    if (!group) return;
    expect((await this.#client.send("DELETE", `/Groups/${id}`)).status).toBe(204);
    this.#groups.delete(id);
  }

  async #decide(email: string, isOut: boolean): Promise<void> {
    const person = this.#people.find((each) => each.email === email);
    if (!person) return;
    await setDeactivated(instance, email, isOut);
    person.outBy = isOut ? "administrator" : null;
  }

  #email(at: number): string {
    return `${this.#name}-${at}@acme.example`;
  }

  #group(at: number): string {
    return `${this.#name} Group ${at}`;
  }

  #members(chosen: readonly number[]): string[] {
    return [...new Set(chosen.flatMap((at) => pick(this.#users, at)[0] || []))];
  }
}

type Entry<Value> = readonly [id: string, value: Value | undefined];

function pick<Value>(from: ReadonlyMap<string, Value>, at: number): Entry<Value> {
  const all = [...from];
  return all.length === 0 ? ["", undefined] : (all[at % all.length] ?? ["", undefined]);
}

/** A directory deactivates anybody who is active, and reactivates only those whom it deactivated. */
function settle(person: Person, isIn: boolean): void {
  if (!isIn) person.outBy ??= "directory";
  else if (person.outBy === "directory") person.outBy = null;
}

describe("random directories, and random changes by SCIM", () => {
  it("end with exactly the rights that plain sets give", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        const world = await new World().begin();
        for (const step of history) await world.take(step);
        await world.compare();
      }),
      { numRuns: runs(20) },
    );
  });
});
