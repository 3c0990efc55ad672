import type { D1DirectoryGroups } from "#directories/directory-groups.d1.ts";
import { randomId } from "#crypto/random.ts";
import {
  type Directory,
  GROUPS_MAX,
  GROUPS_PER_USER_MAX,
  type Named,
  type StoredGroup,
} from "#directories/directory.ts";
import type { Clock } from "#platform/clock.ts";
import { ScimError } from "#protocol/errors.ts";
import { changedSinceRead, type DirectoryCall, requireFound, requireMatch } from "./directory-call.ts";
import type { GroupChange, readGroup } from "./group-request.ts";

const MEMBERS_PER_READ = 5000;

/** What a directory can do with its groups. Changes apply to members within ten seconds. */
export class GroupProvisioning {
  readonly #groups: D1DirectoryGroups;
  readonly #clock: Clock;

  constructor(groups: D1DirectoryGroups, clock: Clock) {
    this.#groups = groups;
    this.#clock = clock;
  }

  /**
   * Creates a group.
   *
   * @throws {ScimError} `uniqueness` if a group of the instance has the name; `invalidValue` for members that are not users
   */
  async create(call: DirectoryCall, { group, steps }: ReturnType<typeof readGroup>): Promise<StoredGroup> {
    const id = randomId();
    await this.#requireMembers(call, id, steps);
    const draft = { ...group, id, revision: randomId() };
    const outcome = await this.#groups.add(call.directory, draft, steps, this.#clock());
    if (outcome === "name-taken") throw nameTaken();
    if (outcome === "full") {
      const description = `The instance has ${GROUPS_MAX} groups, as many as it can have`;
      throw new ScimError("tooMany", { reason: "scim_too_many", description });
    }
    return this.find(call.directory, id);
  }

  /** Returns a group. @throws {ApiError} `not_found` */
  find(directory: Directory, id: string): Promise<StoredGroup> {
    return requireFound(this.#groups.find(directory, id), id);
  }

  async members(directory: Directory, id: string): Promise<readonly Named[]> {
    const all: Named[] = [];
    for (let after = ""; ; ) {
      const part = await this.#groups.members(directory, id, after, MEMBERS_PER_READ);
      all.push(...part);
      if (part.length < MEMBERS_PER_READ) return all;
      after = part.at(-1)?.id ?? after;
    }
  }

  async replace(call: DirectoryCall, id: string, change: GroupChange): Promise<StoredGroup> {
    await this.change(call, id, change);
    return this.find(call.directory, id);
  }

  /** Changes a group. @returns its new revision */
  async change(
    call: DirectoryCall,
    id: string,
    { group, steps }: GroupChange,
  ): Promise<Pick<StoredGroup, "id" | "revision">> {
    const stored = await this.find(call.directory, id);
    requireMatch(call.ifMatch, stored);
    await this.#requireMembers(call, id, steps);
    const before = call.ifMatch === undefined ? null : stored.revision;
    const revision = randomId();
    const outcome = await this.#groups.change(call.directory, stored, group, steps, before, revision, this.#clock());
    if (outcome === "name-taken") throw nameTaken();
    if (outcome === "changed-meanwhile") throw changedSinceRead();
    return { id, revision };
  }

  async remove(call: DirectoryCall, id: string): Promise<void> {
    const stored = await this.find(call.directory, id);
    requireMatch(call.ifMatch, stored);
    const before = call.ifMatch === undefined ? null : stored.revision;
    if (!(await this.#groups.remove(call.directory, stored, before, this.#clock()))) throw changedSinceRead();
  }

  async #requireMembers({ directory }: DirectoryCall, id: string, steps: GroupChange["steps"]): Promise<void> {
    const added = steps.flatMap(({ kind, users }) => (kind === "add" ? users : []));
    const refused = added.length === 0 ? null : await this.#groups.refusedMember(directory, id, added);
    if (!refused) return;
    const problem =
      refused.why === "unknown"
        ? "is no user of this directory"
        : `is in ${GROUPS_PER_USER_MAX} groups, the most for one user`;
    const description = `The member ${refused.id} ${problem}`;
    throw new ScimError("invalidValue", { reason: "scim_value_refused", field: "members", description });
  }
}

function nameTaken(): ScimError {
  const description = "A group of this instance has this displayName already";
  return new ScimError("uniqueness", { reason: "scim_value_taken", field: "displayName", description });
}
