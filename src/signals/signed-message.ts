import { parseCompactJwt } from "#crypto/compact-jwt.ts";
import { findMisuse } from "#crypto/jwt-misuse.ts";
import { EXTERNAL_ALGORITHMS } from "#issuers/issuer-members.ts";
import type { KeyPublisher } from "#issuers/issuer-documents.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import { findSignatureFault, type SignatureFault } from "#issuers/issuer-signature.ts";
import type { Clock } from "#platform/clock.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { Refusal } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS, hasBegun, isNumericDate, isUnexpired } from "#protocol/numeric-date.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { isSpendableId, SPENT_ID_SECONDS_MAX } from "#spent-ids/spent-ids.ts";

/** Maximum age of a message. Ids are remembered for this long, so that a message works only once. */
const MESSAGE_AGE_SECONDS_MAX = SPENT_ID_SECONDS_MAX - 2 * CLOCK_TOLERANCE_SECONDS;

/** What is wrong with a message, in the words of RFC 8935 §2.4. */
export type Problem =
  | "invalid_request"
  | "invalid_key"
  | "invalid_issuer"
  | "invalid_audience"
  | "authentication_failed";

/** Returns a refusal in the receiver's format. */
export type Refuse = (problem: Problem, reason: RefusalReason, description: string) => Refusal;

/** A receiver's requirements for a message. */
export interface Expected<Sender extends KeyPublisher> {
  /** Returns the sender with an issuer, if it may send. */
  readonly senderOf: (issuer: string) => Promise<Sender | undefined> | Sender | undefined;
  readonly audienceOf: (sender: Sender) => string;
  /** The types that the header may name, in lower case and without `application/`; `undefined`: it names none. */
  readonly types: readonly (string | undefined)[];
  /** Whether a message must have an expiry. Security event tokens have none (Shared Signals Framework 1.0 §4.1). */
  readonly expires: boolean;
  readonly refuse: Refuse;
  readonly waitUntil: WaitUntil;
}

/** A recent message that was signed by its sender and is meant for this instance. */
export interface SignedMessage<Sender> {
  readonly sender: Sender;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly id: string;
  /** The time from which it is refused as too old. */
  readonly goodUntil: number;
}

const SIGNATURE_REFUSALS: Readonly<Record<SignatureFault, readonly [RefusalReason, string]>> = {
  "algorithm-not-allowed": ["signal_algorithm_not_allowed", `Sign with one of ${EXTERNAL_ALGORITHMS.join(", ")}`],
  "key-unnamed": ["signal_key_unknown", "Name the key (kid)"],
  "key-unknown": ["signal_key_unknown", "The issuer doesn't publish this key (kid)"],
  "signature-wrong": ["signal_signature_wrong", "The signature is invalid"],
};

/** Verifies messages that identity providers and transmitters sign. */
export class SignedMessages {
  readonly #keys: IssuerKeys;
  readonly #clock: Clock;

  constructor(keys: IssuerKeys, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /**
   * Verifies that a message comes from a sender that may send it, is meant for this instance and is recent. Until the signature is
   * verified, only its issuer is used, to select the key. The caller checks whether it was used before.
   *
   * @throws {Refusal} in the receiver's format; `temporarily_unavailable` while the sender's keys can't be fetched
   */
  async verify<Sender extends KeyPublisher>(token: string, expected: Expected<Sender>): Promise<SignedMessage<Sender>> {
    const { refuse, types } = expected;
    const jwt = parseCompactJwt(token);
    if (!jwt) throw refuse("invalid_request", "signal_malformed", "The message is not one signed JWT");
    const { payload: claims } = jwt;
    const { iss } = claims;
    const sender = typeof iss === "string" ? await expected.senderOf(iss) : undefined;
    if (!sender) throw refuse("invalid_issuer", "signal_sender_unknown", "The issuer (iss) may not send this here");
    const misuse = findMisuse(jwt, { types, isEvent: true });
    if (misuse === "other-key") {
      throw refuse(
        "invalid_request",
        "signal_of_another_key",
        "The message is bound to a key (cnf), which nothing proves",
      );
    }
    if (misuse) {
      throw refuse("invalid_request", "signal_type_wrong", `The header's typ must be ${types.find(Boolean) ?? ""}`);
    }
    const fault = await findSignatureFault(jwt, sender, EXTERNAL_ALGORITHMS, this.#keys, expected.waitUntil);
    if (fault) throw refuse("invalid_key", ...SIGNATURE_REFUSALS[fault]);
    const audience = expected.audienceOf(sender);
    if (![claims["aud"]].flat().includes(audience)) {
      throw refuse("invalid_audience", "signal_audience_wrong", `The audience (aud) must be ${audience}`);
    }
    const goodUntil = this.#requireRecent(claims, expected);
    const { jti } = claims;
    if (!isSpendableId(jti)) {
      throw refuse("invalid_request", "signal_id_malformed", "Give each message an id of its own (jti)");
    }
    return { sender, claims, id: jti, goodUntil };
  }

  #requireRecent(
    { iat, exp, nbf }: Readonly<Record<string, unknown>>,
    { expires, refuse }: Pick<Expected<never>, "expires" | "refuse">,
  ): number {
    const now = this.#clock();
    if (!isNumericDate(iat) || iat > now + CLOCK_TOLERANCE_SECONDS || iat < now - MESSAGE_AGE_SECONDS_MAX) {
      throw refuse("invalid_request", "signal_not_recent", "The message must be recent: check iat and the clock");
    }
    if (!hasBegun({ nbf }, now)) {
      throw refuse("invalid_request", "signal_not_recent", "The message is not valid yet (nbf)");
    }
    const end = iat + MESSAGE_AGE_SECONDS_MAX + 1;
    if (exp === undefined && !expires) return end;
    if (!isUnexpired(exp, now)) {
      throw refuse("invalid_request", "signal_expired", "The message has expired, or doesn't say when it does (exp)");
    }
    return Math.min(end, exp + CLOCK_TOLERANCE_SECONDS);
  }
}
