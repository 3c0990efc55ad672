import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { ExternalIdentity, PersonLookup } from "#people/external-people.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

/**
 * How long an isolate relies on what it has read about a person. After that, the person is read again, because policy snapshots
 * do not contain people who were deactivated more than a day ago.
 */
const REMEMBERED_SECONDS = 3600;

/** The most people whose accounts an isolate remembers; others are read again. */
const PEOPLE_MAX = 2000;

/**
 * Maximum length of a key: room for a long issuer and for the 255 characters of a subject (OpenID Connect Core §2). 2000 keys of
 * this length are no burden to an isolate.
 */
const KEY_CHARACTERS_MAX = 1000;

/** A person as storage has them. */
type FoundPerson = Exclude<PersonLookup, string>;

/** The part of a policy snapshot that shows whether a person has changed since they were read. */
type People = Pick<PolicySnapshot, "instanceId" | "deactivatedPeople" | "signedOutPeople">;

/** A person and when they were read. */
export interface ReadPerson {
  readonly found: FoundPerson;
  readonly readAt: number;
}

/**
 * The people behind accounts at identity providers that an isolate has read, so that the next token of an account costs no read.
 *
 * A linked account means its person until that person is released. A release deactivates them, and every snapshot contains that
 * for longer than anything is remembered here. Snapshots also contain when people were signed out. A registration that changed is
 * another object, under which nobody is remembered.
 */
export class RememberedPeople {
  readonly #people = new BoundedMap<string, ReadPerson & { readonly issuer: ExternalIssuer }>(PEOPLE_MAX);

  /**
   * Finds the person of an account, if they were read within the last hour and the account still means them.
   *
   * @returns `undefined` if storage has to be asked: always for a token with groups, which may be newer than the stored ones
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

/** Returns until when a token counts as verified that was let in with this read of its person. */
export function rememberedUntil({ readAt }: ReadPerson): number {
  return readAt + REMEMBERED_SECONDS;
}

/**
 * Returns the key of an account. Several instances may register the same issuer, but a person belongs to one instance. No URL
 * contains a space.
 */
function keyOf({ instanceId }: People, { person }: ExternalIdentity): string {
  const { issuer, subject } = "email" in person ? person.account : person;
  return `${instanceId} ${issuer} ${subject}`;
}
