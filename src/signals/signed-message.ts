import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import { EXTERNAL_ALGORITHMS } from "#issuers/issuer-members.ts";
import type { KeyPublisher } from "#issuers/issuer-documents.ts";
import {
  type AcceptedJwt,
  findSignatureFault,
  type RefusedKind,
  type JwtFault,
  requireForeign,
  type SignatureFault,
} from "#issuers/foreign-jwt.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { Refusal, SecurityEventErrorCode } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS } from "#protocol/numeric-date.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { SPENT_EVENT_SECONDS_MAX, SPENT_ID_SECONDS_MAX } from "#spent-ids/spent-ids.ts";
import type { SignalServices } from "./signal-services.ts";

/** Maximum age of a message. Ids are remembered for this long, so that a message works only once. */
const MESSAGE_AGE_SECONDS_MAX = SPENT_ID_SECONDS_MAX - 2 * CLOCK_TOLERANCE_SECONDS;

/** Returns a refusal in the receiver's format. */
export type Refuse = (problem: SecurityEventErrorCode, reason: RefusalReason, description: string) => Refusal;

/** A receiver's requirements for a message. */
export interface Expected<Sender extends KeyPublisher> {
  /** Returns the sender with an issuer, if it may send. */
  readonly senderOf: (issuer: string) => Promise<Sender | undefined> | Sender | undefined;
  readonly audienceOf: (sender: Sender) => string;
  readonly kind: RefusedKind;
  readonly refuse: Refuse;
  readonly waitUntil: WaitUntil;
}

/** A recent message that was signed by its sender and is meant for this instance. */
export interface SignedMessage<Sender> extends AcceptedJwt {
  readonly sender: Sender;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What holds for messages of every kind: they may be for other receivers too, and must be recent. */
const MESSAGE = {
  isEvent: true,
  sharesAudience: true,
  ageSecondsMax: MESSAGE_AGE_SECONDS_MAX,
  lifetimeSecondsMax: Infinity,
  refusals: {
    "algorithm-not-allowed": ["signal_algorithm_not_allowed", `Sign with one of ${EXTERNAL_ALGORITHMS.join(", ")}`],
    "key-unnamed": ["signal_key_unknown", "Name the key (kid)"],
    "key-unknown": ["signal_key_unknown", "The issuer doesn't publish this key (kid)"],
    "signature-wrong": ["signal_signature_wrong", "The signature is invalid"],
    "other-type": ["signal_type_wrong", "The header's typ must be {type}"],
    "other-key": ["signal_of_another_key", "The message is bound to a key (cnf), which nothing proves"],
    event: ["signal_type_wrong", "The message describes an event"],
    "other-audience": ["signal_audience_wrong", "The audience (aud) must be {audience}"],
    expired: ["signal_expired", "The message has expired, or doesn't say when it does (exp)"],
    "too-long": ["signal_expired", "The message is good for too long (exp)"],
    "not-recent": ["signal_not_recent", "The message must be recent: check iat and the clock"],
    early: ["signal_not_recent", "The message is not valid yet: check iat, nbf and the clock"],
    "no-id": ["signal_id_malformed", "Give each message an id of its own (jti)"],
  },
} as const satisfies RefusedKind;

/** Older providers send no type, or the general one. The type of an access token or of another event is refused (§4.1). */
export const LOGOUT_TOKEN: RefusedKind = { ...MESSAGE, types: ["logout+jwt", "jwt", undefined] };

/**
 * Maximum age of a security event. It tells what has happened (RFC 8417 §2.2), and is true however late it comes; the limit is how
 * long ids are remembered.
 */
const EVENT_AGE_SECONDS_MAX = SPENT_EVENT_SECONDS_MAX - 2 * CLOCK_TOLERANCE_SECONDS;

/** Security event tokens have no expiry (Shared Signals Framework 1.0 §4.1). */
export const SECURITY_EVENT_TOKEN: RefusedKind = {
  ...MESSAGE,
  types: ["secevent+jwt"],
  mayLackExpiry: true,
  ageSecondsMax: EVENT_AGE_SECONDS_MAX,
};

export const REVOCATION_REQUEST: RefusedKind = { ...MESSAGE, types: ["global-token-revocation+jwt"] };

/** The problem with a message that has a fault; any other fault is an `invalid_request`. */
const PROBLEMS: Readonly<Partial<Record<JwtFault | SignatureFault, SecurityEventErrorCode>>> = {
  "algorithm-not-allowed": "invalid_key",
  "key-unnamed": "invalid_key",
  "key-unknown": "invalid_key",
  "signature-wrong": "invalid_key",
  "other-audience": "invalid_audience",
};

/**
 * Verifies that a message comes from a sender that may send it, is meant for this instance and is recent. Until the signature is
 * verified, only its issuer is used, to select the key. The caller checks whether it was used before.
 *
 * @throws {Refusal} in the receiver's format; `temporarily_unavailable` while the sender's keys can't be fetched
 */
export async function verifyMessage<Sender extends KeyPublisher>(
  { issuerKeys }: Pick<SignalServices, "issuerKeys">,
  token: string,
  expected: Expected<Sender>,
): Promise<SignedMessage<Sender>> {
  const { refuse, kind, waitUntil } = expected;
  const jwt = parseCompactJwt(token);
  if (!jwt) throw refuse("invalid_request", "signal_malformed", "The message is not one signed JWT");
  const { payload: claims } = jwt;
  const { iss } = claims;
  const sender = typeof iss === "string" ? await expected.senderOf(iss) : undefined;
  if (!sender) throw refuse("invalid_issuer", "signal_sender_unknown", "The issuer (iss) may not send this here");
  const audience = expected.audienceOf(sender);
  const accepted = await requireForeign(
    jwt,
    kind,
    { audiences: [audience], now: epochSeconds() },
    () => findSignatureFault(jwt, sender, EXTERNAL_ALGORITHMS, issuerKeys, waitUntil),
    (reason, description, fault) => refuse(PROBLEMS[fault] ?? "invalid_request", reason, description),
  );
  return { sender, claims, ...accepted };
}
