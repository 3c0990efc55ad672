import type { TokenHash } from "#crypto/secrets.ts";
import { schemasOf } from "#platform/described-members.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { foldDomain } from "#protocol/email-address.ts";
import * as v from "valibot";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { othersThan, type SignalSender } from "./sender.ts";
import { TRANSMITTER_MEMBERS } from "./transmitter-members.ts";

/** Maximum transmitters of an instance. An organisation has a few security systems. */
export const TRANSMITTERS_MAX = 20;

/**
 * A system that may sign people out here: a transmitter of security events, or an identity provider other than the SSO.
 */
export const transmitterSchema = v.object(schemasOf(TRANSMITTER_MEMBERS));

export type Transmitter = v.InferOutput<typeof transmitterSchema>;

/** A transmitter as it is stored. */
export interface StoredTransmitter {
  readonly configuration: Transmitter;
  /** The exact stored text of the configuration. A change is written only if it is still the same. */
  readonly text: string;
  /** The hash of the Authorization header that it has to send; `null`: any header, or none. */
  readonly authorizationHash: TokenHash | null;
  readonly createdAt: number;
  readonly changedAt: number;
  /** When it last sent a verification event. */
  readonly verifiedAt: number | null;
}

/** A transmitter as an administrator enters it. Everything has to be checked. */
export type TransmitterDraft = Readonly<Record<string, unknown>>;

/** Checks a transmitter. @throws {AdministrationRefused} if it is not acceptable, with the field that has to change */
export function readTransmitter(draft: TransmitterDraft): Transmitter {
  const parsed = v.safeParse(transmitterSchema, draft);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new AdministrationRefused(issue.message, v.getDotPath(issue)?.split(".")[0]);
  }
  const { emailDomains, ...rest } = parsed.output;
  if (rest.issuer.startsWith("https:") && rest.jwksUri?.startsWith("http:")) {
    throw new AdministrationRefused("The keys of an https issuer need an https URL", "jwksUri");
  }
  return { ...rest, emailDomains: [...new Set(emailDomains.map((domain) => foldDomain(domain)))] };
}

/**
 * Returns a transmitter as a sender. Its keys come from the metadata of its event streams, unless an administrator set their address.
 */
export function senderOf(
  { configuration }: Pick<StoredTransmitter, "configuration">,
  { singleSignOns }: Pick<PolicySnapshot, "singleSignOns">,
): SignalSender {
  const { issuer, jwksUri, emailDomains } = configuration;
  return { issuer, jwksUri, isTransmitter: true, emailDomains, otherSsos: othersThan(issuer, singleSignOns) };
}
