import { type PatchOperation, requiredAttribute } from "./patch-request.ts";
import { isObject } from "#protocol/json-object.ts";
import type { GroupDraft, MemberStep } from "#directories/directory.ts";
import { isOfIssuer } from "#people/directory-claims.ts";
import { hidesCharacters } from "#protocol/display-name.ts";
import { ScimError } from "#protocol/errors.ts";
import { foldName } from "#protocol/folding.ts";
import type { ScimFilter } from "#protocol/scim-filter.ts";
import { memberOf } from "./user-resource.ts";

/** The changes of a group that a request asks for. */
export interface GroupChange {
  readonly group: Partial<GroupDraft>;
  readonly steps: readonly MemberStep[];
}

const NAME_CHARACTERS_MAX = 200;

/** Maximum members that one request names. More can be sent in several PATCH requests. */
const MEMBERS_MAX = 5000;

/** Maximum switches between adding and removing in one request, because each takes at least one statement. */
const STEPS_MAX = 10;

/** Reads a complete group. Without `members`, its members don't change. @throws {ScimError} */
export function readGroup(body: Readonly<Record<string, unknown>>): GroupChange & { readonly group: GroupDraft } {
  const [name, externalId, members] = ["displayname", "externalid", "members"].map((wanted) => memberOf(body, wanted));
  const group = { displayName: readName(name), externalId: readExternalId(externalId) };
  return { group, steps: members === undefined ? [] : bounded(replacing(readMembers(members))) };
}

/** Reads a PATCH of a group: its name and its members, in the forms that Okta and Entra ID send. @throws {ScimError} */
export function readGroupPatch(operations: readonly PatchOperation[]): GroupChange {
  let group: Partial<GroupDraft> = {};
  const steps: MemberStep[] = [];
  for (const operation of operations) {
    const { op, path, value } = operation;
    const attribute = path.attribute;
    if (path.of !== undefined && attribute !== "members")
      throw refusedPath(`${attribute.slice(0, 100)} has no elements`);
    if (path.sub !== undefined || attribute.startsWith("members.")) throw partOfMember();
    if (attribute === "displayname") {
      if (op === "remove") throw requiredAttribute("displayName");
      group = { ...group, displayName: readName(value) };
    } else if (attribute === "externalid")
      group = { ...group, externalId: op === "remove" ? null : readExternalId(value) };
    else if (attribute === "members") steps.push(...memberSteps(operation));
  }
  return { group, steps: bounded(steps) };
}

function memberSteps({ op, path, value }: PatchOperation): MemberStep[] {
  if (path.of !== undefined) {
    const users = namedBy(path.of);
    if (op === "remove") return [{ kind: "remove", users }];
    throw invalid("Add and replace members without a filter");
  }
  if (op === "add") return [{ kind: "add", users: readMembers(value) }];
  if (op === "replace") return replacing(readMembers(value));
  return value === undefined || value === null
    ? [{ kind: "keep", users: [] }]
    : [{ kind: "remove", users: readMembers(value) }];
}

function replacing(users: readonly string[]): MemberStep[] {
  return [
    { kind: "keep", users },
    { kind: "add", users },
  ];
}

/** Returns the users that `value eq "…"` names, one or several joined by `or`. */
function namedBy(filter: ScimFilter): string[] {
  if (filter.kind === "or") return filter.parts.flatMap(namedBy);
  const isOne = filter.kind === "compare" && filter.attribute === "value" && filter.operator === "eq";
  if (isOne && typeof filter.value === "string") return [filter.value];
  throw refusedPath('Name members as members[value eq "…"]');
}

function refusedPath(description: string): ScimError {
  return new ScimError("invalidPath", { reason: "scim_path_malformed", field: "path", description });
}

/** Without this, removing a part of a member would remove the member. */
function partOfMember(): ScimError {
  const description = "A part of a member can't be changed: add or remove the member";
  return new ScimError("mutability", { reason: "scim_change_refused", field: "members", description });
}

function readMembers(given: unknown): string[] {
  const list: unknown[] = Array.isArray(given) ? given : [given];
  const ids = list.map((member) => {
    const id = isObject(member) ? memberOf(member, "value") : member;
    if (typeof id !== "string" || id === "" || id.length > 200)
      throw invalid("A member has the id of a user as its value");
    return id;
  });
  return [...new Set(ids)];
}

/** Joins steps, and checks the limits. @throws {ScimError} `tooMany` */
function bounded(steps: readonly MemberStep[]): readonly MemberStep[] {
  const joined: MemberStep[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    // Providers send one operation for each member.
    if (last === undefined || last.kind !== step.kind || step.kind === "keep") joined.push(step);
    else joined.splice(-1, 1, { kind: step.kind, users: [...last.users, ...step.users] });
  }
  const most = Math.max(0, ...joined.map(({ users }) => users.length));
  if (most <= MEMBERS_MAX && joined.length <= STEPS_MAX) return joined;
  const description = `Name at most ${MEMBERS_MAX} members in a request, in at most ${STEPS_MAX} additions and removals`;
  throw new ScimError("tooMany", { reason: "scim_too_many", field: "members", description });
}

function readName(value: unknown): string {
  const name = typeof value === "string" ? value.trim() : "";
  if (name === "" || name.length > NAME_CHARACTERS_MAX) {
    throw invalid(`displayName is required, and has at most ${NAME_CHARACTERS_MAX} characters`);
  }
  // The database would store half a character as another one, and the name could become that of another directory's group.
  if (hidesCharacters(name)) throw invalid("displayName has no control, direction or other invisible characters");
  if (isOfIssuer(foldName(name))) throw invalid("displayName looks like a group of another identity provider");
  return name;
}

function readExternalId(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && value.length <= 200) return value;
  throw invalid("externalId must be a text of at most 200 characters");
}

function invalid(description: string): ScimError {
  return new ScimError("invalidValue", { reason: "scim_value_refused", description });
}
