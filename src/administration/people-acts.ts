import { randomId } from "#crypto/random.ts";
import {
  type AdministratorReach,
  type PeopleReader,
  type PeopleWriter,
  type PersonRecord,
  requireEmail,
} from "#people/person.ts";
import type { Clock } from "#platform/clock.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Acts } from "./acts.ts";
import { type Authority, OPERATOR, requireScope } from "./authority.ts";
import type { ActInstance } from "./act-instance.ts";
import type { TakeEffect } from "./take-effect.ts";

/** What is decided about people. Each act tells whether it changed anything: what was asked for may hold already. */
export class PeopleActs extends Acts {
  readonly #people: PeopleReader;
  readonly #writer: PeopleWriter;
  readonly #authority: Authority;

  /** @param authority whose: administrators end only by `admin:security`, and the last one only by the operator */
  constructor(
    people: PeopleReader,
    writer: PeopleWriter,
    takeEffect: TakeEffect,
    clock: Clock,
    authority: Authority = OPERATOR,
  ) {
    super(takeEffect, clock);
    this.#people = people;
    this.#writer = writer;
    this.#authority = authority;
  }

  /**
   * Makes somebody an administrator; an email that is not known yet becomes one at a first sign-in that proves it.
   *
   * @throws {AdministrationRefused} for what is no email address, or somebody who is deactivated
   */
  async appointAdministrator(instance: ActInstance, email: string, actor: string): Promise<boolean> {
    const address = requireEmail(email);
    const person = await this.#people.findByEmail(instance.id, address);
    if (person && person.deactivatedAt !== null) {
      throw new AdministrationRefused(`${address} is deactivated: reactivate them first`, "email");
    }
    const entry = this.entry(instance, actor, "administrator_changed", { email: address, isAdministrator: true });
    return this.concluded(instance, await this.#writer.appoint(instance.id, address, randomId(), entry));
  }

  /** @throws {AdministrationRefused} where administrators would take their own access away, and for the last administrator */
  async dismissAdministrator(instance: ActInstance, person: PersonRecord, actor: string): Promise<boolean> {
    requireSomebodyElse(person, actor);
    const entry = this.entry(instance, actor, "administrator_changed", {
      email: person.email,
      isAdministrator: false,
    });
    const changed = await this.#writer.dismiss(instance.id, person.id, this.#reach(), entry);
    return this.#ended(instance, person, changed);
  }

  /**
   * Shuts somebody out, within the age of a policy snapshot: they cannot sign in, no account of theirs opens anything, and their
   * apps, tokens, sessions, remembered consents and role are over.
   *
   * @throws {AdministrationRefused} where administrators would take their own access away, and for the last administrator
   * @throws {ApiError} `insufficient_scope` for an administrator, without `admin:security`
   */
  async deactivate(instance: ActInstance, person: PersonRecord, actor: string): Promise<boolean> {
    requireSomebodyElse(person, actor);
    const detail = { email: person.email, deactivated: true };
    const entry = this.entry(instance, actor, "person_standing_changed", detail);
    const changed = await this.#writer.deactivate(instance.id, person.id, this.#reach(), entry);
    return this.#ended(instance, person, changed);
  }

  /**
   * Deactivates whoever has an email address, or will have it: an email that is not known is recorded, deactivated.
   *
   * @throws {AdministrationRefused} for what is no email address
   */
  async deactivateEmail(instance: ActInstance, email: string, actor: string): Promise<boolean> {
    const address = requireEmail(email);
    const detail = { email: address, deactivated: true };
    const entry = this.entry(instance, actor, "person_standing_changed", detail);
    if (await this.#writer.addDeactivated(instance.id, address, randomId(), entry)) {
      return this.concluded(instance, true);
    }
    const person = await this.#people.findByEmail(instance.id, address);
    return person ? this.deactivate(instance, person, actor) : false;
  }

  /** Lets somebody in again, with nothing of what ended. */
  async reactivate(instance: ActInstance, person: PersonRecord, actor: string): Promise<boolean> {
    const detail = { email: person.email, deactivated: false };
    const entry = this.entry(instance, actor, "person_standing_changed", detail);
    return this.concluded(instance, await this.#writer.reactivate(instance.id, person.id, entry));
  }

  /**
   * Parts an email address from the person who has it, for an organisation that moved to another SSO or made an account anew:
   * all that they held ends, and whoever signs in next with this email is a new person.
   *
   * @throws {AdministrationRefused} where administrators would take their own access away, and for the last administrator
   * @throws {ApiError} `insufficient_scope` for an administrator, without `admin:security`
   */
  async release(instance: ActInstance, person: PersonRecord, actor: string): Promise<boolean> {
    requireSomebodyElse(person, actor);
    const entry = this.entry(instance, actor, "person_released", { email: person.email });
    const changed = await this.#writer.release(instance.id, person.id, this.#reach(), entry);
    return this.#ended(instance, person, changed);
  }

  #reach(): AdministratorReach {
    const { scopes } = this.#authority;
    if (scopes.has("operator")) return "all";
    return scopes.has("admin:security") ? "all-but-last" : "none";
  }

  /** Ends an act that changes nothing where it meets an administrator out of reach: they still are one then. */
  async #ended(instance: ActInstance, { id, email }: PersonRecord, changed: boolean): Promise<boolean> {
    if (!changed && (await this.#people.find(instance.id, id))?.isAdministrator === true) {
      requireScope(this.#authority, "admin:security");
      throw new AdministrationRefused(`${email} is the last administrator: make somebody else one first`);
    }
    return this.concluded(instance, changed);
  }
}

/** An instance whose last administrator left by mistake could only be opened again by its operator. */
function requireSomebodyElse(person: PersonRecord, actor: string): void {
  if (person.id === actor) {
    throw new AdministrationRefused("You can't remove your own access: ask another administrator");
  }
}
