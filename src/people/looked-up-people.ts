import type { D1ExternalPeople } from "./external-people.d1.ts";
import type { ExternalIdentity, ExternalPeople, PersonLookup } from "./external-people.ts";

/** Returns the same results as {@link ExternalPeople} would, but creates nobody. */
export class LookedUpPeople implements ExternalPeople {
  readonly #people: D1ExternalPeople;

  constructor(people: D1ExternalPeople) {
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
