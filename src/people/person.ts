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

/** Parses an email address. @throws {AdministrationRefused} if it is not one */
export function requireEmail(email: string): string {
  const address = parseEmailAddress(email);
  if (address === undefined) throw new AdministrationRefused(`${email} is not an email address`, "email");
  return address;
}
