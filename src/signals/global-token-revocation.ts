import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { ApiError } from "#protocol/errors.ts";
import { type SignalSender, ssoSender } from "./sender.ts";
import { REVOCATION_REQUEST, type SignedMessages } from "./signed-message.ts";
import type { SignOuts } from "./sign-outs.ts";
import { parseSubject } from "./subject.ts";
import { senderOf, type TransmitterReader } from "./transmitter.ts";

/** Requests of an identity provider to end all of a person's access (draft-parecki-oauth-global-token-revocation). */
export class GlobalTokenRevocation {
  readonly #messages: SignedMessages;
  readonly #transmitters: Pick<TransmitterReader, "find">;
  readonly #signOuts: SignOuts;

  constructor(messages: SignedMessages, transmitters: Pick<TransmitterReader, "find">, signOuts: SignOuts) {
    this.#messages = messages;
    this.#transmitters = transmitters;
    this.#signOuts = signOuts;
  }

  /**
   * Authenticates the request with the JWT that its sender signed for this endpoint, and ends all access of the person.
   *
   * @param assertion the bearer token, if one was sent
   * @param body has `sub_id`, or `subject` as in the first versions of the draft
   * @throws {ApiError} `unauthorized`; `invalid_token` for another JWT; `bad_request` without a subject identifier; `not_found` if
   *   nobody here is meant
   */
  async revoke(
    { policy, issuer: here }: RequestInstance,
    assertion: string | undefined,
    body: Readonly<Record<string, unknown>>,
    waitUntil: WaitUntil,
  ): Promise<void> {
    if (assertion === undefined) {
      const description = "Authenticate with a JWT that the identity provider signed, as a bearer token";
      throw new ApiError("unauthorized", { reason: "credential_missing", description });
    }
    const message = await this.#messages.verify(assertion, {
      senderOf: (issuer) => this.#senderOf(policy, issuer),
      audienceOf: () => here + ENDPOINTS.tokenRevocation,
      kind: REVOCATION_REQUEST,
      refuse: (_problem, reason, description) => new ApiError("invalid_token", { reason, description }),
      waitUntil,
    });
    const { sender } = message;
    const subject = parseSubject(body["sub_id"] ?? body["subject"], { sender: sender.issuer, here });
    if (!subject) {
      const description = "sub_id must be a subject identifier of the format iss_sub, email or opaque";
      throw new ApiError("bad_request", { reason: "signal_subject_missing", description, field: "sub_id" });
    }
    const signal = { sender, event: "global-token-revocation", subject, effect: "person", withOffline: true } as const;
    const done = await this.#signOuts.once(policy, "token_revocation", message, () =>
      this.#signOuts.apply(policy, signal),
    );
    if (done === null) {
      throw new ApiError("invalid_token", { reason: "signal_replayed", description: "The JWT was used before" });
    }
    if (done === "unknown") {
      throw new ApiError("not_found", { reason: "signal_subject_unknown", description: "Nobody here is meant" });
    }
  }

  /**
   * Returns the SSO, or an identity provider that an administrator added: Okta signs as the organisation, wherever people sign in.
   */
  async #senderOf({ instanceId, singleSignOn }: PolicySnapshot, issuer: string): Promise<SignalSender | undefined> {
    const sso = ssoSender(singleSignOn, issuer);
    if (sso) return sso;
    const transmitter = await this.#transmitters.find(instanceId, issuer);
    return transmitter ? senderOf(transmitter) : undefined;
  }
}
