import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import type { Role } from "./role.ts";

/** A person as administrators see them. */
export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role | null;
  readonly lastSignInAt: number | null;
  readonly deactivatedAt: number | null;
}

/** How far a decision reaches: whose role it may change or end, among those who have one. */
export type RoleReach = "none" | "all-but-owners" | "all-but-last-owner" | "all";

export interface PeopleReader {
  find(instanceId: number, personId: string): Promise<PersonRecord | null>;
  findByEmail(instanceId: number, email: string): Promise<PersonRecord | null>;
  /** Part of the list of people, as `PEOPLE_LIST` says. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<PersonRecord>>;
  /** The emails of people, by id. */
  emailsOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** How many people sign in with an account of this issuer. */
  countOf(instanceId: number, issuer: string): Promise<number>;
}

/**
 * Writes what was decided about a person, with its audit entry, in one transaction. Somebody whose role is out of reach stays as they are.
 * @returns whether it changed anything
 */
export interface PeopleWriter {
  /**
   * Gives a person a role in place of theirs; somebody who is not known is, from now on. Admin tokens of theirs beyond it end.
   *
   * @param seen the role that the person must still have; `undefined`: any
   */
  nameRole(
    instanceId: number,
    person: Pick<PersonRecord, "id" | "email">,
    role: Role,
    reach: RoleReach,
    seen: Role | null | undefined,
    entry: AuditEntry<"role_changed">,
  ): Promise<boolean>;
  /** Takes a person's role, and ends the admin tokens that they issued. */
  removeRole(
    instanceId: number,
    personId: string,
    reach: RoleReach,
    seen: Role | null | undefined,
    entry: AuditEntry<"role_changed">,
  ): Promise<boolean>;
  /** Ends everything that the person holds; they cannot come in again until they are reactivated. */
  deactivate(
    instanceId: number,
    personId: string,
    reach: RoleReach,
    entry: AuditEntry<"person_standing_changed">,
  ): Promise<boolean>;
  /** Makes an email known, deactivated; not where it is known already. */
  addDeactivated(
    instanceId: number,
    email: string,
    newId: string,
    entry: AuditEntry<"person_standing_changed">,
  ): Promise<boolean>;
  reactivate(instanceId: number, personId: string, entry: AuditEntry<"person_standing_changed">): Promise<boolean>;
  /** Ends everything that the person holds, for good, and frees their email address for somebody new. */
  release(
    instanceId: number,
    personId: string,
    reach: RoleReach,
    entry: AuditEntry<"person_released">,
  ): Promise<boolean>;
}

/** @throws {AdministrationRefused} for what is no email address */
export function requireEmail(email: string): string {
  const address = parseEmailAddress(email);
  if (address === undefined) throw new AdministrationRefused(`${email} is not an email address`, "email");
  return address;
}
