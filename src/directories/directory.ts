import type { ScimFilter } from "#protocol/scim-filter.ts";

/** The directory that a token is for. */
export interface Directory {
  readonly instanceId: number;
  readonly name: string;
}

/** Returns a directory's name as an actor in the audit. */
export function directoryActor(name: string): string {
  return `directory:${name}`;
}

/** The requested part of a list, counted as in RFC 7644 §3.4.2.4. */
export interface PartAsked {
  readonly filter: ScimFilter | null;
  /** From 1. */
  readonly startIndex: number;
  readonly count: number;
}

export interface Part<Item> {
  readonly items: readonly Item[];
  /** The number of all items. */
  readonly total: number;
}

/** A group of a user, or a member of a group, with its display name. */
export interface Named {
  readonly id: string;
  readonly display: string;
}

/** The members that every resource has in addition to its attributes. */
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
  /** The person's email address, parsed. */
  readonly email: string;
  readonly name: string;
  /** The attributes as they were sent, without `active`. */
  readonly attributes: Readonly<Record<string, unknown>>;
}

export interface StoredUser extends Stored, Pick<UserDraft, "isActive" | "attributes"> {
  readonly personId: string;
  /** `null`: not read. */
  readonly groups: readonly Named[] | null;
  /** Whether the directory deactivated the person; not read for lists. */
  readonly isShutOut: boolean;
  /** The person's email address; not read for lists. */
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

export const GROUPS_MAX = 20_000;

/** Maximum groups of one user. Each is checked in every search of the person. */
export const GROUPS_PER_USER_MAX = 500;
