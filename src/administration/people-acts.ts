import type { D1PeopleStandings } from "#people/person.d1.ts";
import { randomId } from "#crypto/secrets.ts";
import { type PersonRecord, requireEmail, type RoleReach } from "#people/person.ts";
import { type Role, ROLES } from "#people/role.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { ApiError } from "#protocol/errors.ts";
import { Acts } from "./acts.ts";
import { requireScope } from "./authority.ts";

/**
 * Decisions about people. Each act returns whether it changed anything; it doesn't if the person already is as requested. Ending a role
 * needs `admin:security`, ending an owner's needs an owner, and the last owner's the operator.
 */
export class PeopleActs extends Acts<{ readonly people: D1PeopleStandings }> {
  /**
   * Gives somebody a role in place of their current one. An unknown email address gets the role at a first sign-in that proves it.
   *
   * @param seen the role that they had when it was decided, or `null`; if left out, any
   * @throws {AdministrationRefused} for an invalid email address or role, a deactivated person, the actor's own role, and the last
   *   owner's role
   * @throws {ApiError} `insufficient_scope` for an owner's role, unless an owner decides; `conflict` if the role is not the one
   *   that was seen
   */
  async nameRole(email: string, role: string, seen?: Role | null): Promise<boolean> {
    const address = requireEmail(email);
    const wanted = requireRole(role);
    if (wanted === "owner") requireScope(this.by.authority, "owner");
    const person = await this.parts.people.findByEmail(this.instance.id, address);
    if (person && person.deactivatedAt !== null) {
      throw new AdministrationRefused(`${address} is deactivated: reactivate them first`, "email");
    }
    if (person) this.#requireSomebodyElse(person);
    const entry = this.entry("role_changed", { email: address, role: wanted });
    const named = { id: person?.id ?? randomId(), email: address };
    const changed = await this.parts.people.nameRole(named, wanted, this.#reach(), seen, entry);
    if (person) return this.#ended(person, changed, wanted, seen);
    if (!changed && seen !== undefined) throw hasAnotherRole(address);
    return this.concluded(changed);
  }

  /**
   * Removes somebody's role.
   *
   * @param seen as for {@link nameRole}
   * @throws {AdministrationRefused} for the actor's own role, and the last owner's
   * @throws {ApiError} `insufficient_scope` for an owner's role, unless an owner decides; `conflict` if the role is not the one
   *   that was seen
   */
  async removeRole(person: PersonRecord, seen?: Role | null): Promise<boolean> {
    this.#requireSomebodyElse(person);
    const entry = this.entry("role_changed", { email: person.email, role: null });
    const changed = await this.parts.people.removeRole(person.id, this.#reach(), seen, entry);
    return this.#ended(person, changed, null, seen);
  }

  /**
   * Shuts somebody out, within the age of a policy snapshot: they cannot sign in, none of their accounts gives access, and their
   * apps' access, tokens, sessions and role end.
   *
   * @throws {AdministrationRefused} for the actor themselves, and for the last owner
   * @throws {ApiError} `insufficient_scope` for somebody with a role, without `admin:security`, and for an owner, unless an owner decides
   */
  async deactivate(person: PersonRecord): Promise<boolean> {
    this.#requireSomebodyElse(person);
    const detail = { email: person.email, deactivated: true };
    const entry = this.entry("person_standing_changed", detail);
    const changed = await this.parts.people.deactivate(person.id, this.#reach(), entry);
    return this.#ended(person, changed);
  }

  /**
   * Deactivates the person with an email address. An address that nobody has yet is recorded as deactivated.
   *
   * @throws as {@link deactivate}, and {AdministrationRefused} for an invalid email address
   */
  async deactivateEmail(email: string): Promise<boolean> {
    const address = requireEmail(email);
    const detail = { email: address, deactivated: true };
    const entry = this.entry("person_standing_changed", detail);
    if (await this.parts.people.addDeactivated(address, randomId(), entry)) {
      return this.concluded(true);
    }
    const person = await this.parts.people.findByEmail(this.instance.id, address);
    return person ? this.deactivate(person) : false;
  }

  /** Lets a deactivated person in again. What ended with the deactivation does not come back. */
  async reactivate(person: PersonRecord): Promise<boolean> {
    const detail = { email: person.email, deactivated: false };
    const entry = this.entry("person_standing_changed", detail);
    return this.concluded(await this.parts.people.reactivate(person.id, entry));
  }

  /**
   * Releases an email address from its person, for an organisation that moved to another SSO or recreated an account: all their
   * access ends, and the next person who signs in with this email address is a new one.
   *
   * @throws {AdministrationRefused} for the actor themselves, and for the last owner
   * @throws {ApiError} `insufficient_scope` for somebody with a role, without `admin:security`, and for an owner, unless an owner decides
   */
  async release(person: PersonRecord): Promise<boolean> {
    this.#requireSomebodyElse(person);
    const entry = this.entry("person_released", { email: person.email });
    const changed = await this.parts.people.release(person.id, this.#reach(), entry);
    return this.#ended(person, changed);
  }

  /** If the last owner could leave by mistake, only the operator could open the instance again. */
  #requireSomebodyElse({ id }: PersonRecord): void {
    if (id !== this.by.actor) return;
    throw new AdministrationRefused("You can't change your own role or access: ask another owner or administrator");
  }

  #reach(): RoleReach {
    const { scopes } = this.by.authority;
    if (scopes.has("operator")) return "all";
    if (scopes.has("owner")) return "all-but-last-owner";
    return scopes.has("admin:security") ? "all-but-owners" : "none";
  }

  /**
   * Ends an act. If the person still has a role that the act should have ended, the statement changed nothing: throws the reason.
   */
  async #ended(
    { id, email }: PersonRecord,
    changed: boolean,
    wanted: Role | null = null,
    seen?: Role | null,
  ): Promise<boolean> {
    const role = changed ? wanted : ((await this.parts.people.find(this.instance.id, id))?.role ?? null);
    if (role !== wanted && seen !== undefined && role !== seen) throw hasAnotherRole(email);
    if (role !== null && role !== wanted) {
      requireScope(this.by.authority, role === "owner" ? "owner" : "admin:security");
      throw new AdministrationRefused(`${email} is the last owner: make somebody else one first`);
    }
    return this.concluded(changed);
  }
}

function hasAnotherRole(email: string): ApiError {
  return new ApiError("conflict", {
    reason: "changed_since_read",
    description: `${email} has another role by now: read it again, then decide`,
  });
}

function requireRole(word: string): Role {
  const role = ROLES.find((each) => each === word);
  if (role === undefined) throw new AdministrationRefused(`A role is one of ${ROLES.join(", ")}`, "role");
  return role;
}
