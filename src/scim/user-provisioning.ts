import { randomId } from "#crypto/secrets.ts";
import type { Stored, StoredUser, UserOutcome } from "#directories/directory.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ApiError, ScimError, type ScimErrorCode } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { changedSinceRead, type DirectoryCall, OWNER_KEPT, requireFound, requireMatch } from "./directory-call.ts";
import { readGroup, readGroupPatch } from "./group-request.ts";
import { type PatchOperation, readPatch } from "./patch-request.ts";
import { applyToUser } from "./user-patch.ts";
import { readResource, resourceOf, toDraft, type UserResource } from "./user-resource.ts";
import { changeGroup, createGroup, removeGroup, replaceGroup } from "./group-provisioning.ts";

/** Maximum attempts of a change while others keep changing the user. */
const ATTEMPTS_MAX = 4;

const DEACTIVATION: readonly PatchOperation[] = [{ op: "replace", path: { attribute: "active" }, value: false }];

/**
 * Creates a user. A user who becomes inactive loses all access before anything else is written.
 *
 * @throws {ScimError} `uniqueness` if the directory has the user name, or the person with this email address is already a user of
 *   any directory
 */
async function createUser(call: DirectoryCall, resource: UserResource): Promise<StoredUser> {
  const draft = toDraft(resource);
  const user = { ...draft, id: randomId(), newPersonId: randomId(), revision: randomId() };
  requireDone(await call.users.add(call.directory, user, epochSeconds()));
  const stored = await findUser(call, user.id);
  if (!draft.isActive && stored.isActive) return patchUser({ ...call, ifMatch: undefined }, user.id, DEACTIVATION);
  await settle(call, stored.personId, draft.isActive);
  return stored;
}

/** Returns a user. @throws {ApiError} `not_found` */
export function findUser({ users, directory }: DirectoryCall, id: string): Promise<StoredUser> {
  return requireFound(users.find(directory, id), id);
}

function replaceUser(call: DirectoryCall, id: string, resource: UserResource): Promise<StoredUser> {
  return changeUser(call, id, () => resource);
}

export function patchUser(call: DirectoryCall, id: string, operations: readonly PatchOperation[]): Promise<StoredUser> {
  return changeUser(call, id, (resource) => {
    for (const operation of operations) applyToUser(resource, operation);
    return resource;
  });
}

/** Deletes a user. The person stays, deactivated. */
export async function removeUser(call: DirectoryCall, id: string): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const stored = await findUser(call, id);
    requireMatch(call.ifMatch, stored);
    await settle(call, stored.personId, false);
    const read = call.ifMatch === undefined ? null : stored.revision;
    if (await call.users.remove(call.directory, stored, read, epochSeconds())) return;
  }
  throw changedSinceRead();
}

/**
 * Changes a user. `active` doesn't change if a change omits or clears it: only an explicit value lets somebody in.
 */
async function changeUser(
  call: DirectoryCall,
  id: string,
  change: (resource: UserResource) => UserResource,
): Promise<StoredUser> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const stored = await findUser(call, id);
    requireMatch(call.ifMatch, stored);
    const before = resourceOf(stored);
    const draft = toDraft({ active: stored.isActive, ...change(resourceOf(stored)) });
    if (!draft.isActive) await settle(call, stored.personId, false);
    const letIn = async () => {
      if (draft.isActive && stored.isShutOut) await settle(call, stored.personId, true);
    };
    if (JSON.stringify({ ...draft.attributes, active: draft.isActive }) === JSON.stringify(before)) {
      // An earlier request may have been cut off before it reactivated the person.
      await letIn();
      return stored;
    }
    const outcome = await call.users.replace(call.directory, id, draft, stored, randomId(), epochSeconds());
    if (outcome === "changed-meanwhile") continue;
    requireDone(outcome);
    await letIn();
    return findUser(call, id);
  }
  throw changedSinceRead();
}

/** Deactivates or reactivates the person. @throws {ScimError} `mutability` for an owner */
async function settle({ directory, people, acts }: DirectoryCall, personId: string, isActive: boolean): Promise<void> {
  const person = await people.find(directory.instanceId, personId);
  if (!person || isActive === (person.deactivatedAt === null)) return;
  try {
    await acts()[isActive ? "reactivate" : "deactivate"](person);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "insufficient_scope")) throw error;
    const { description } = error;
    throw new ScimError("mutability", { reason: "scim_change_refused", description, cause: error });
  }
}

const REFUSALS: Readonly<
  Record<Exclude<UserOutcome, "done" | "changed-meanwhile">, [ScimErrorCode, RefusalReason, string]>
> = {
  "user-name-taken": ["uniqueness", "scim_value_taken", "Another user of the directory has this userName"],
  "email-taken": ["uniqueness", "scim_value_taken", "Another user or person has this email address"],
  "has-role": [
    "mutability",
    "scim_change_refused",
    "This person has a role and keeps their email address. Ask an administrator to remove the role first.",
  ],
  owner: ["mutability", "scim_change_refused", OWNER_KEPT],
  full: ["tooMany", "scim_too_many", "The instance has as many people as it can have"],
};

function requireDone(outcome: UserOutcome): void {
  if (outcome === "done") return;
  if (outcome === "changed-meanwhile") throw changedSinceRead();
  const [code, reason, description] = REFUSALS[outcome];
  throw new ScimError(code, { reason, description });
}

type Data = Readonly<Record<string, unknown>>;

export type Change = (call: DirectoryCall, id: string, data: Data) => Promise<Pick<Stored, "id" | "revision"> | void>;

/** What changes a resource, by its type and the method of the request: one of its own, or an operation of a bulk request. */
export const CHANGES = {
  Users: {
    POST: (call, _id, data) => createUser(call, readResource(data)),
    PUT: (call, id, data) => replaceUser(call, id, readResource(data)),
    PATCH: (call, id, data) => patchUser(call, id, readPatch(data)),
    DELETE: removeUser,
  },
  Groups: {
    POST: (call, _id, data) => createGroup(call, readGroup(data)),
    PUT: (call, id, data) => replaceGroup(call, id, readGroup(data)),
    PATCH: (call, id, data) => changeGroup(call, id, readGroupPatch(readPatch(data))),
    DELETE: removeGroup,
  },
} satisfies Readonly<Record<string, Readonly<Record<string, Change>>>>;
