import type { ScimFilter } from "#protocol/scim-filter.ts";

/** The directory that a token is for. */
export interface Directory {
  readonly instanceId: number;
  readonly name: string;
}

/** A directory's name as an actor in the audit. */
export function directoryActor(name: string): string {
  return `directory:${name}`;
}

/** A part of a list, as RFC 7644 §3.4.2.4 counts it. */
export interface PartAsked {
  readonly filter: ScimFilter | null;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

export interface Part<Item> {
  readonly items: readonly Item[];
  /** How many there are in all. */
  readonly total: number;
}

/** A group of a user, or a member of a group, with its display name. */
export interface Named {
  readonly id: string;
  readonly display: string;
}

/** What every resource has beside its attributes. */
export interface Stored {
  readonly id: string;
  readonly revision: string;
  readonly createdAt: number;
  readonly changedAt: number;
}

/** A user as the directory describes it. */
export interface UserDraft {
  readonly userName: string;
  readonly externalId: string | null;
  readonly isActive: boolean;
  /** The person's: parsed. */
  readonly email: string;
  /** What the person is called. */
  readonly name: string;
  /** As it was written, without `active`. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface StoredUser extends Stored, Pick<UserDraft, "isActive" | "attributes"> {
  readonly personId: string;
  /** `null`: they were not read. */
  readonly groups: readonly Named[] | null;
  /** Whether the directory deactivated the person; not read for lists. */
  readonly isShutOut: boolean;
  /** The person's; not read for lists. */
  readonly email: string;
}

/** The result of a write: done, or why it was refused. */
export type UserOutcome =
  | "done"
  /** The user was changed or deleted since it was read, or its person was reactivated before it could be written as inactive. */
  | "changed-meanwhile"
  | "user-name-taken"
  /** The person with this email address belongs to another user, or another person has it. */
  | "email-taken"
  /** A person with a role keeps their email address: otherwise the next person with it could get the role. */
  | "has-role"
  /** A new user is inactive, but its person is an owner. */
  | "owner"
  | "full";

export interface DirectoryUserStore {
  /** Makes a user, and a person where nobody has its email. It is active as long as its person is: the caller deactivates both. */
  add(
    directory: Directory,
    user: UserDraft & { readonly id: string; readonly newPersonId: string; readonly revision: string },
    now: number,
  ): Promise<UserOutcome>;
  find(directory: Directory, id: string): Promise<StoredUser | null>;
  /** Without their groups. */
  list(directory: Directory, part: PartAsked): Promise<Part<StoredUser>>;
  /** Writes a user, and the person's name and email with its audit entry. @param before what was read */
  replace(
    directory: Directory,
    id: string,
    user: UserDraft,
    before: Pick<StoredUser, "revision" | "email">,
    revision: string,
    now: number,
  ): Promise<UserOutcome>;
  /**
   * Forgets a user, in its groups too; the person stays.
   *
   * @param revision that it must have; `null`: any
   * @returns `false` where it has another, the person is not shut out, or there is no such user
   */
  remove(
    directory: Directory,
    read: Pick<StoredUser, "id" | "email">,
    revision: string | null,
    now: number,
  ): Promise<boolean>;
}

export interface GroupDraft {
  readonly displayName: string;
  readonly externalId: string | null;
}

export interface StoredGroup extends Stored, GroupDraft {}

/** One step of a change of a group's members. */
export interface MemberStep {
  /** `keep` removes all others. */
  readonly kind: "add" | "remove" | "keep";
  readonly users: readonly string[];
}

export interface DirectoryGroupStore {
  /** Makes a group with its members. @returns `full` where there are {@link GROUPS_MAX} */
  add(
    directory: Directory,
    group: GroupDraft & { readonly id: string; readonly revision: string },
    steps: readonly MemberStep[],
    now: number,
  ): Promise<"done" | "name-taken" | "full">;
  find(directory: Directory, id: string): Promise<StoredGroup | null>;
  list(directory: Directory, part: PartAsked): Promise<Part<StoredGroup>>;
  /** A group's members after a user's id, by id. */
  members(directory: Directory, id: string, after: string, limit: number): Promise<readonly Named[]>;
  /** The first id that belongs to no user of the directory, or to a user who is already in the maximum number of other groups. */
  refusedMember(
    directory: Directory,
    id: string,
    users: readonly string[],
  ): Promise<{ id: string; why: "unknown" | "full" } | null>;
  /**
   * Changes a group and its members, all or nothing, with entries of the audit.
   *
   * @param read the name is recorded as the one before
   * @param before the revision that it must have; `null`: any
   */
  change(
    directory: Directory,
    read: Pick<StoredGroup, "id" | "displayName">,
    group: Partial<GroupDraft>,
    steps: readonly MemberStep[],
    before: string | null,
    revision: string,
    now: number,
  ): Promise<"done" | "changed-meanwhile" | "name-taken">;
  /** @param revision that it must have; `null`: any */
  remove(
    directory: Directory,
    read: Pick<StoredGroup, "id" | "displayName">,
    revision: string | null,
    now: number,
  ): Promise<boolean>;
}

/** Groups of an instance. */
export const GROUPS_MAX = 20_000;

/** Groups of one user: each is looked at in every search of the person. */
export const GROUPS_PER_USER_MAX = 500;
