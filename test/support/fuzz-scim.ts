import { GROUP, PATCH, USER } from "./scim.ts";
import type { Chance } from "./chance.ts";

/** The values that a directory's calls are made from. */
interface Said {
  readonly chance: Chance;
  /** Returns a name, plain or odd. */
  readonly name: () => string;
  /** Returns the id of something, usually of something that the directory provisioned. */
  readonly id: () => string;
}

/** Returns the body of a SCIM call, as Okta, Entra ID or nobody sends it. */
export function scimBody(method: string, path: string, said: Said): Record<string, unknown> {
  if (path.endsWith("/Bulk")) return bulk(said);
  const isGroup = path.includes("/Groups");
  if (method === "PATCH") return { schemas: [PATCH], Operations: some(said.chance, () => operation(isGroup, said)) };
  return isGroup ? group(said) : user(said);
}

/** Returns operations that refer to each other, also in circles. Few have an id twice, because that refuses the whole request. */
function bulk(said: Said): Record<string, unknown> {
  const { chance, id, name } = said;
  const reference = () => `bulkId:${chance.pick(["0", "1", "2", name()])}`;
  const operations = Array.from({ length: chance.pick([0, 1, 2, 3, 5, 20, 21]) }, (_, place) => {
    const type = chance.pick(["Users", "Groups"]);
    const method = chance.pick(["POST", "POST", "PUT", "PATCH", "DELETE", "get"]);
    const at = method === "POST" ? `/${type}` : `/${type}/${chance.pick([id(), reference(), name()])}`;
    const data = scimBody(method, at, { ...said, id: () => chance.pick([id(), reference()]) });
    return {
      method,
      path: at,
      bulkId: chance.happens(0.01) ? name() : chance.pick([`${place}`, `${place}`, undefined]),
      data,
    };
  });
  return { Operations: operations, ...(chance.happens(0.3) ? { failOnErrors: chance.pick([1, 3, 0, "x"]) } : {}) };
}

/** Returns the query of a list. */
export function scimQuery({ chance, name }: Said): [string, string][] {
  const value = JSON.stringify(name());
  const filter = chance.pick([
    `userName eq ${value}`,
    `emails[type eq "work" and value co ${value}] or not (active eq false)`,
    `displayName sw ${value} and meta.lastModified gt "2026-01-01T00:00:00Z"`,
    `${"(".repeat(chance.between(1, 60))}userName pr`,
    name(),
  ]);
  return chance.happens(0.3)
    ? []
    : [
        ["filter", filter],
        ["startIndex", chance.pick(["1", "0", "-1", "999999999999", "x"])],
        ["count", chance.pick(["10", "0", "-5", "100000"])],
      ];
}

/** Returns a user who is none of the run's own people, so that these are not locked out by chance. */
function user({ chance, name }: Said): Record<string, unknown> {
  const email = `${chance.pick(["one", "two", "three", name()])}@directory.example`;
  return {
    schemas: [USER],
    userName: chance.pick([email, email, name()]),
    externalId: chance.pick(["e1", name(), null, 7]),
    displayName: name(),
    name: chance.pick([{ formatted: name() }, { givenName: name(), familyName: name() }, name()]),
    emails: some(chance, () => ({ value: email, type: "work", primary: chance.happens(0.6) })),
    active: chance.pick([true, true, false, "True", "maybe", null]),
  };
}

function group({ chance, name, id }: Said): Record<string, unknown> {
  const members = some(chance, () => ({ value: chance.pick([id(), id(), name()]) }));
  return { schemas: [GROUP], displayName: chance.pick(["Sales", "finance", name()]), members };
}

function operation(isGroup: boolean, said: Said): Record<string, unknown> {
  const { chance, name, id } = said;
  const path = isGroup
    ? chance.pick(["members", "displayName", `members[value eq "${id()}"]`, undefined, name()])
    : chance.pick(["active", 'emails[type eq "work"].value', "name.givenName", "title", undefined, name()]);
  const value = chance.pick([true, name(), { active: false, title: name() }, [{ value: id() }], null]);
  return { op: chance.pick(["add", "Replace", "remove", "move"]), value, ...(path === undefined ? {} : { path }) };
}

function some<Item>(chance: Chance, make: () => Item): Item[] {
  return Array.from({ length: chance.pick([0, 1, 1, 2, 5]) }, make);
}
