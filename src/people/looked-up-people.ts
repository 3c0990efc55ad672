import type { ExternalIdentity, ExternalPeople, KnownPeople, PersonLookup } from "./external-people.ts";

/** Answers as {@link ExternalPeople} would, and makes nobody known. */
export class LookedUpPeople implements ExternalPeople {
  readonly #people: KnownPeople;

  constructor(people: KnownPeople) {
    this.#people = people;
  }

  async find(
    instanceId: number,
    { person }: ExternalIdentity,
    issuedAt: number,
    newPersonId: string,
  ): Promise<PersonLookup> {
    const found = await this.#people.look(instanceId, person, issuedAt);
    const wouldBeMade = found === "unknown" && "email" in person;
    return wouldBeMade
      ? { personId: newPersonId, email: person.email, isDeactivated: false, signedOutAt: null }
      : found;
  }
}
