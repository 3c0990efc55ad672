import { randomId } from "#crypto/secrets.ts";
import { GROUPS_MAX, GROUPS_PER_USER_MAX, type Named, type StoredGroup } from "#directories/directory.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ScimError } from "#protocol/errors.ts";
import { changedSinceRead, type DirectoryCall, requireFound, requireMatch } from "./directory-call.ts";
import type { GroupChange, readGroup } from "./group-request.ts";

const MEMBERS_PER_READ = 5000;

/**
 * Creates a group. As every change of groups, it applies to members within ten seconds.
 *
 * @throws {ScimError} `uniqueness` if a group of the instance has the name; `invalidValue` for members that are not users
 */
export async function createGroup(
  call: DirectoryCall,
  { group, steps }: ReturnType<typeof readGroup>,
): Promise<StoredGroup> {
  const id = randomId();
  await requireMembers(call, id, steps);
  const draft = { ...group, id, revision: randomId() };
  const outcome = await call.groups.add(call.directory, draft, steps, epochSeconds());
  if (outcome === "name-taken") throw nameTaken();
  if (outcome === "full") {
    const description = `The instance has ${GROUPS_MAX} groups, as many as it can have`;
    throw new ScimError("tooMany", { reason: "scim_too_many", description });
  }
  return findGroup(call, id);
}

/** Returns a group. @throws {ApiError} `not_found` */
export function findGroup({ groups, directory }: DirectoryCall, id: string): Promise<StoredGroup> {
  return requireFound(groups.find(directory, id), id);
}

export async function membersOf({ groups, directory }: DirectoryCall, id: string): Promise<readonly Named[]> {
  const all: Named[] = [];
  for (let after = ""; ; ) {
    const part = await groups.members(directory, id, after, MEMBERS_PER_READ);
    all.push(...part);
    if (part.length < MEMBERS_PER_READ) return all;
    after = part.at(-1)?.id ?? after;
  }
}

export async function replaceGroup(call: DirectoryCall, id: string, change: GroupChange): Promise<StoredGroup> {
  await changeGroup(call, id, change);
  return findGroup(call, id);
}

/** Changes a group. @returns its new revision */
export async function changeGroup(
  call: DirectoryCall,
  id: string,
  { group, steps }: GroupChange,
): Promise<Pick<StoredGroup, "id" | "revision">> {
  const stored = await findGroup(call, id);
  requireMatch(call.ifMatch, stored);
  await requireMembers(call, id, steps);
  const before = call.ifMatch === undefined ? null : stored.revision;
  const revision = randomId();
  const outcome = await call.groups.change(call.directory, stored, group, steps, before, revision, epochSeconds());
  if (outcome === "name-taken") throw nameTaken();
  if (outcome === "changed-meanwhile") throw changedSinceRead();
  return { id, revision };
}

export async function removeGroup(call: DirectoryCall, id: string): Promise<void> {
  const stored = await findGroup(call, id);
  requireMatch(call.ifMatch, stored);
  const before = call.ifMatch === undefined ? null : stored.revision;
  if (!(await call.groups.remove(call.directory, stored, before, epochSeconds()))) throw changedSinceRead();
}

async function requireMembers(
  { groups, directory }: DirectoryCall,
  id: string,
  steps: GroupChange["steps"],
): Promise<void> {
  const added = steps.flatMap(({ kind, users }) => (kind === "add" ? users : []));
  const refused = added.length === 0 ? null : await groups.refusedMember(directory, id, added);
  if (!refused) return;
  const problem =
    refused.why === "unknown"
      ? "is no user of this directory"
      : `is in ${GROUPS_PER_USER_MAX} groups, the most for one user`;
  const description = `The member ${refused.id} ${problem}`;
  throw new ScimError("invalidValue", { reason: "scim_value_refused", field: "members", description });
}

function nameTaken(): ScimError {
  const description = "A group of this instance has this displayName already";
  return new ScimError("uniqueness", { reason: "scim_value_taken", field: "displayName", description });
}
