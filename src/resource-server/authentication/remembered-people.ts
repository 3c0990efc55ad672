import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { ExternalIdentity, PersonLookup } from "#people/external-people.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

/**
 * An isolate goes by what it has read of a person for this long. Then the person is looked at again: who was deactivated longer ago
 * than a day stands in no policy snapshot.
 */
const REMEMBERED_SECONDS = 3600;

/** The people whose accounts were looked up last in this isolate; others are read again. */
const PEOPLE_MAX = 2000;

/** Room for a long issuer and for the 255 characters of a subject (OpenID Connect Core §2); 2000 of these are no burden to an isolate. */
const KEY_CHARACTERS_MAX = 1000;

/** A person as storage has them. */
type FoundPerson = Exclude<PersonLookup, string>;

/** What of a policy snapshot says whether a person still stands as they were read. */
type People = Pick<PolicySnapshot, "instanceId" | "deactivatedPeople" | "signedOutPeople">;

/** A person and when they were read. */
export interface ReadPerson {
  readonly found: FoundPerson;
  readonly readAt: number;
}

/**
 * The people behind accounts at identity providers, by what an isolate has read: the next token of an account costs no read.
 *
 * An account that is linked means its person until that person is released. Release deactivates them, and every snapshot says so for
 * longer than anything is remembered here; it says when they were signed out, too. A registration that changed is another object, by
 * which nobody is remembered.
 */
export class RememberedPeople {
  readonly #people = new BoundedMap<string, ReadPerson & { readonly issuer: ExternalIssuer }>(PEOPLE_MAX);

  /**
   * The person of an account that was read within the last hour and still holds.
   *
   * @returns `undefined` where storage has to be asked: for a token with groups always, which may be newer than those that are stored
   */
  find(policy: People, issuer: ExternalIssuer, identity: ExternalIdentity, now: number): ReadPerson | undefined {
    if (identity.groups !== undefined) return undefined;
    const known = this.#people.get(keyOf(policy, identity));
    if (known?.issuer !== issuer) return undefined;
    const { found, readAt } = known;
    const age = now - readAt;
    if (age < 0 || age >= REMEMBERED_SECONDS || policy.deactivatedPeople.has(found.personId)) return undefined;
    const signedOutAt = Math.max(found.signedOutAt ?? -1, policy.signedOutPeople.get(found.personId) ?? -1);
    return { found: { ...found, signedOutAt: signedOutAt < 0 ? null : signedOutAt }, readAt };
  }

  /** @param person who was let in */
  keep(policy: People, issuer: ExternalIssuer, identity: ExternalIdentity, { found, readAt }: ReadPerson): void {
    const key = keyOf(policy, identity);
    if (key.length <= KEY_CHARACTERS_MAX) this.#people.set(key, { issuer, found, readAt });
  }
}

/** Until when a token may be taken as verified that was let in by what was read of its person. */
export function rememberedUntil({ readAt }: ReadPerson): number {
  return readAt + REMEMBERED_SECONDS;
}

/** Instances may register the same issuer; a person is one instance's. No URL has a space. */
function keyOf({ instanceId }: People, { person }: ExternalIdentity): string {
  const { issuer, subject } = "email" in person ? person.account : person;
  return `${instanceId} ${issuer} ${subject}`;
}
