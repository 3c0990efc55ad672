import type { CompactJwt } from "#crypto/compact-jwt.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { ExternalIdentity, ExternalPeople, PersonLookup } from "#people/external-people.ts";
import { ApiError } from "#protocol/errors.ts";
import { isNumericDate } from "#protocol/numeric-date.ts";
import { readIdentity, requireFound } from "#single-sign-on/external-identity.ts";
import type { ReadPerson, RememberedPeople } from "./remembered-people.ts";
import { claim, list, type Step } from "./steps.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** The part of a presented token from which the person of an identity provider's token is found. */
export interface TokenPerson {
  readonly jwt: CompactJwt;
  readonly policy: Pick<PolicySnapshot, "instanceId" | "deactivatedPeople" | "signedOutPeople">;
  /** The provider that is registered for the token's `iss`. */
  readonly issuer: ExternalIssuer | undefined;
  readonly people: ExternalPeople;
  readonly rememberedPeople: Pick<RememberedPeople, "find">;
  /** The id for the person, if this token creates one. */
  readonly newPersonId: string;
  readonly now: number;
  /** The account that the token names; our person, once found; and when the person was read. */
  identity?: ExternalIdentity;
  person?: PersonLookup;
  personReadAt?: number;
}

export const PERSON_STEP: Step<TokenPerson> = { title: "Person", check: requirePerson, fact: personFact };

async function requirePerson(presented: TokenPerson): Promise<void> {
  const { jwt, issuer, policy, people, rememberedPeople, newPersonId, now } = presented;
  if (!issuer) throw new ApiError("issuer_not_registered", { reason: "external_issuer_not_registered" });
  const { iat } = jwt.payload;
  const identity = readIdentity(jwt.payload, issuer);
  const remembered = rememberedPeople.find(policy, issuer, identity, now);
  const issuedAt = isNumericDate(iat) ? Math.min(Math.floor(iat), now) : 0;
  presented.identity = identity;
  presented.personReadAt = remembered?.readAt ?? now;
  presented.person = remembered?.found ?? (await people.find(policy.instanceId, identity, issuedAt, newPersonId, now));
  requireFound(presented.person, issuer, iat);
}

/** Returns the person of a token that has passed, and when they were read. */
export function readPersonOf({ person, personReadAt }: TokenPerson): ReadPerson {
  if (typeof person === "object" && personReadAt !== undefined) return { found: person, readAt: personReadAt };
  throw invalid("external_person_unknown", "The token's person is unknown");
}

function personFact(presented: TokenPerson): string {
  const { jwt, issuer } = presented;
  if (!issuer) return "";
  const { emailVouchedBy, emailVerifiedClaim, personBy, personClaim } = issuer;
  const sentences = [`${claim(jwt.payload, personClaim, "The")}.`];
  if (personBy === "email") {
    sentences.push(`Email domains of this issuer: ${list(issuer.emailDomains, "no domain")}.`);
    sentences.push(
      emailVouchedBy === "administrator"
        ? "An administrator vouches for this issuer’s addresses."
        : `The email is verified by ${claim(jwt.payload, emailVerifiedClaim)}.`,
    );
  }
  return [...sentences, foundFact(presented)].join(" ").trimEnd();
}

function foundFact({ identity, person: found, newPersonId }: TokenPerson): string {
  if (!identity || !found || found === "unknown") return "";
  const who = "email" in identity.person ? identity.person.email : identity.person.subject;
  if (found === "taken") return `Another account of this provider already uses this email address: ${who}.`;
  if (found.personId === newPersonId) return `Nobody here is ${who} yet: the person would be created at first use.`;
  return `${who} is ${found.isDeactivated ? "deactivated" : "known"} here.`;
}

export function invalid(reason: RefusalReason, description: string): ApiError {
  return new ApiError("invalid_token", { reason, description });
}
