import type { D1PeopleStandings } from "./person.d1.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { ApiError } from "#protocol/errors.ts";
import { type PersonRecord, requireEmail } from "./person.ts";

/** Looks up people for administrators. */
export class PeopleDirectory {
  readonly #reader: D1PeopleStandings;

  constructor(reader: D1PeopleStandings) {
    this.#reader = reader;
  }

  /** Returns the person with an id. @throws {ApiError} `not_found` if nobody in this instance has it */
  async require(instanceId: number, personId: string): Promise<PersonRecord> {
    const person = await this.#reader.find(instanceId, personId);
    if (person) return person;
    throw new ApiError("not_found", { reason: "person_unknown", description: "There is no such person" });
  }

  /** Returns the person with an email address; `null` if it is not an address, or nobody has it. */
  async findByEmail(instanceId: number, email: string): Promise<PersonRecord | null> {
    const address = parseEmailAddress(email);
    return address === undefined ? null : this.#reader.findByEmail(instanceId, address);
  }

  /**
   * Returns the person with an email address.
   *
   * @throws {AdministrationRefused} if it is not an address, or nobody in this instance has it
   */
  async requireByEmail(instanceId: number, email: string): Promise<PersonRecord> {
    const address = requireEmail(email);
    const person = await this.#reader.findByEmail(instanceId, address);
    if (person) return person;
    throw new AdministrationRefused(`There is nobody with the email ${address}`, "email");
  }

  /** Lists people; `PEOPLE_LIST` has the filters. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<PersonRecord>> {
    return this.#reader.list(instanceId, query);
  }

  /** Returns the email addresses of people, to show in place of their ids. */
  emailsOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#reader.emailsOf(instanceId, ids);
  }

  /**
   * Counts the people who sign in with an account of this issuer. With another issuer, each of them would be a new person.
   */
  countOf(instanceId: number, issuer: string): Promise<number> {
    return this.#reader.countOf(instanceId, issuer);
  }
}
