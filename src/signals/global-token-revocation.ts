import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { ApiError } from "#protocol/errors.ts";
import { type SignalSender, ssoSender } from "./sender.ts";
import { applySignal, once } from "./sign-outs.ts";
import type { SignalServices } from "./signal-services.ts";
import { REVOCATION_REQUEST, verifyMessage } from "./signed-message.ts";
import { parseSubject } from "./subject.ts";
import { senderOf } from "./transmitter.ts";

/**
 * Authenticates the request with the JWT that its sender signed for this endpoint, and ends all access of the person
 * (draft-parecki-oauth-global-token-revocation).
 *
 * @param assertion the bearer token, if one was sent
 * @param body has `sub_id`, or `subject` as in the first versions of the draft
 * @throws {ApiError} `unauthorized`; `invalid_token` for another JWT; `bad_request` without a subject identifier; `not_found` if
 *   nobody here is meant
 */
export async function revokeAll(
  services: SignalServices,
  { policy, issuer: here }: RequestInstance,
  assertion: string | undefined,
  body: Readonly<Record<string, unknown>>,
  waitUntil: WaitUntil,
): Promise<void> {
  if (assertion === undefined) {
    const description = "Authenticate with a JWT that the identity provider signed, as a bearer token";
    throw new ApiError("unauthorized", { reason: "credential_missing", description });
  }
  const message = await verifyMessage(services, assertion, {
    senderOf: (issuer) => findSender(services, policy, issuer),
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
  const done = await once(services, policy, "token_revocation", message, () => applySignal(services, policy, signal));
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
async function findSender(
  { transmitters }: SignalServices,
  policy: PolicySnapshot,
  issuer: string,
): Promise<SignalSender | undefined> {
  const sso = ssoSender(policy.singleSignOns, issuer);
  if (sso) return sso;
  const transmitter = await transmitters.find(policy.instanceId, issuer);
  return transmitter ? senderOf(transmitter, policy) : undefined;
}
