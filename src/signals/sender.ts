import type { KeyPublisher } from "#issuers/issuer-documents.ts";
import type { NamedSubject } from "#people/named-people.d1.ts";
import { domainOf } from "#protocol/email-address.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { ssoOfIssuer } from "#single-sign-on/choosing.ts";

/** A system that may sign people out here. */
export interface SignalSender extends KeyPublisher {
  /** The email domains of the people that it may speak for; empty: any. */
  readonly emailDomains: readonly string[];
  /** If the sender is an SSO, the issuers of the others: it may not speak for the people who sign in there. */
  readonly otherSsos?: readonly string[];
}

/**
 * Returns one of the organisation's SSOs as a sender. It may speak for everybody who signs in there, with any email address, and for
 * those who have not signed in yet, of its email domains (docs/identity.md).
 */
export function ssoSender(
  singleSignOns: readonly SingleSignOn[],
  issuer: string,
): (SignalSender & { readonly clientId: string }) | undefined {
  const sso = ssoOfIssuer(singleSignOns, issuer);
  if (!sso) return undefined;
  const { clientId, emailDomains = [] } = sso;
  return { issuer, jwksUri: undefined, emailDomains, clientId, otherSsos: othersThan(issuer, singleSignOns) };
}

/**
 * Returns the subjects that a sender may name: the SSO only its own accounts, a transmitter those of any identity provider.
 */
export function withinReach(
  { issuer, isTransmitter = false }: SignalSender,
  subjects: readonly NamedSubject[],
): NamedSubject[] {
  return subjects.filter((subject) => subject.kind !== "account" || isTransmitter || subject.issuer === issuer);
}

/** Returns the issuers of the other SSOs, if an issuer is one of them. */
export function othersThan(issuer: string, singleSignOns: readonly SingleSignOn[]): readonly string[] {
  const issuers = singleSignOns.map((sso) => sso.issuer);
  return issuers.includes(issuer) ? issuers.filter((each) => each !== issuer) : [];
}

/** Checks whether a sender may speak for a person: by the SSO where they sign in, or else by their email domain. */
export function speaksFor(
  { issuer, isTransmitter = false, emailDomains, otherSsos = [] }: SignalSender,
  { email, ssoIssuer }: { readonly email: string; readonly ssoIssuer: string | null },
): boolean {
  if (!isTransmitter && ssoIssuer === issuer) return true;
  if (ssoIssuer !== null && otherSsos.includes(ssoIssuer)) return false;
  return emailDomains.length === 0 || emailDomains.includes(domainOf(email));
}
