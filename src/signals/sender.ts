import type { KeyPublisher } from "#issuers/issuer-documents.ts";
import type { NamedSubject } from "#people/named-people.d1.ts";
import { domainOf } from "#protocol/email-address.ts";
import type { SingleSignOn } from "#settings/settings.ts";

/** A system that may sign people out here. */
export interface SignalSender extends KeyPublisher {
  /** The email domains of the people that it may speak for; empty: any. */
  readonly emailDomains: readonly string[];
}

/**
 * Returns the organisation's SSO as a sender. It may speak for everybody who signs in there, with any email address (docs/identity.md).
 */
export function ssoSender(
  singleSignOns: readonly SingleSignOn[],
  issuer: string,
): (SignalSender & { readonly clientId: string }) | undefined {
  const sso = singleSignOns.find((each) => each.issuer === issuer);
  if (!sso) return undefined;
  return { issuer, jwksUri: undefined, emailDomains: [], clientId: sso.clientId };
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

/** Checks whether a sender may speak for a person. */
export function speaksFor({ emailDomains }: Pick<SignalSender, "emailDomains">, email: string): boolean {
  return emailDomains.length === 0 || emailDomains.includes(domainOf(email));
}
