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

/** Whose roles a decision may change or end. */
export type RoleReach = "none" | "all-but-owners" | "all-but-last-owner" | "all";

export interface PeopleReader {
  find(instanceId: number, personId: string): Promise<PersonRecord | null>;
  findByEmail(instanceId: number, email: string): Promise<PersonRecord | null>;
  /** Lists people; `PEOPLE_LIST` has the filters. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<PersonRecord>>;
  /** Returns the email addresses of people, by id. */
  emailsOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Counts the people who sign in with an account of this issuer. */
  countOf(instanceId: number, issuer: string): Promise<number>;
}

/**
 * Writes decisions about people, each with its audit entry in one transaction. Nothing changes for somebody whose role is beyond `reach`.
 *
 * @returns whether it changed anything
 */
export interface PeopleWriter {
  /**
   * Gives a person a role in place of their current one, creating the person if necessary. Their admin tokens that exceed the role end.
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
  /** Removes a person's role, and ends the admin tokens that they issued. */
  removeRole(
    instanceId: number,
    personId: string,
    reach: RoleReach,
    seen: Role | null | undefined,
    entry: AuditEntry<"role_changed">,
  ): Promise<boolean>;
  /** Ends all access of a person, who cannot sign in again until they are reactivated. */
  deactivate(
    instanceId: number,
    personId: string,
    reach: RoleReach,
    entry: AuditEntry<"person_standing_changed">,
  ): Promise<boolean>;
  /** Adds a deactivated person with this email address, unless somebody has it already. */
  addDeactivated(
    instanceId: number,
    email: string,
    newId: string,
    entry: AuditEntry<"person_standing_changed">,
  ): Promise<boolean>;
  reactivate(instanceId: number, personId: string, entry: AuditEntry<"person_standing_changed">): Promise<boolean>;
  /** Ends all access of a person, for good, and frees their email address for somebody new. */
  release(
    instanceId: number,
    personId: string,
    reach: RoleReach,
    entry: AuditEntry<"person_released">,
  ): Promise<boolean>;
}

/** Parses an email address. @throws {AdministrationRefused} if it is not one */
export function requireEmail(email: string): string {
  const address = parseEmailAddress(email);
  if (address === undefined) throw new AdministrationRefused(`${email} is not an email address`, "email");
  return address;
}
