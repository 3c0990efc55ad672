import type { ListPage, ListQuery } from "#platform/listing.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { ApiError } from "#protocol/errors.ts";
import { type PeopleReader, type PersonRecord, requireEmail } from "./person.ts";

/** The people of instances, as administrators look them up. */
export class PeopleDirectory {
  readonly #reader: PeopleReader;

  constructor(reader: PeopleReader) {
    this.#reader = reader;
  }

  /** @throws {ApiError} `not_found` for an id that nobody of this instance has */
  async require(instanceId: number, personId: string): Promise<PersonRecord> {
    const person = await this.#reader.find(instanceId, personId);
    if (person) return person;
    throw new ApiError("not_found", { reason: "person_unknown", description: "There is no such person" });
  }

  /** The person of an email; `null` for what is none, or nobody's. */
  async findByEmail(instanceId: number, email: string): Promise<PersonRecord | null> {
    const address = parseEmailAddress(email);
    return address === undefined ? null : this.#reader.findByEmail(instanceId, address);
  }

  /** @throws {AdministrationRefused} for what is no email address, and an email that nobody of this instance has */
  async requireByEmail(instanceId: number, email: string): Promise<PersonRecord> {
    const address = requireEmail(email);
    const person = await this.#reader.findByEmail(instanceId, address);
    if (person) return person;
    throw new AdministrationRefused(`There is nobody with the email ${address}`, "email");
  }

  /** Part of the list of people, as `PEOPLE_LIST` says. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<PersonRecord>> {
    return this.#reader.list(instanceId, query);
  }

  /** Emails, for ids that stand in lists. */
  emailsOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#reader.emailsOf(instanceId, ids);
  }

  /** How many people sign in with an account of this issuer: at another one, each of them is somebody new. */
  countOf(instanceId: number, issuer: string): Promise<number> {
    return this.#reader.countOf(instanceId, issuer);
  }
}
