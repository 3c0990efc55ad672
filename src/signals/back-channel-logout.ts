import { isObject } from "#protocol/json-object.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { OAuthError } from "#protocol/errors.ts";
import { ssoSender } from "./sender.ts";
import { applySignal, once } from "./sign-outs.ts";
import type { SignalServices } from "./signal-services.ts";
import { LOGOUT_TOKEN, verifyMessage } from "./signed-message.ts";
import type { SignalSubject } from "./subject.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Verifies a logout token of the organisation's SSO (OpenID Connect Back-Channel Logout 1.0 §2.6) and ends what it names (§2.7): with
 * `sid`, one session at the SSO; with `sub` alone, all access of the person (docs/decisions/0031-sign-out-signals.md).
 *
 * @throws {OAuthError} `invalid_request` for anything other than a new logout token of this instance's SSO
 */
export async function receiveLogout(
  services: SignalServices,
  { policy }: RequestInstance,
  logoutToken: string,
  waitUntil: WaitUntil,
): Promise<void> {
  const message = await verifyMessage(services, logoutToken, {
    senderOf: (issuer) => ssoSender(policy.singleSignOns, issuer),
    audienceOf: ({ clientId }) => clientId,
    kind: LOGOUT_TOKEN,
    refuse: (_problem, reason, description) => new OAuthError("invalid_request", { reason, description }),
    waitUntil,
  });
  const { sender, claims } = message;
  const subject = requireLogout(claims, sender.issuer);
  const effect = subject.session === undefined ? "person" : "session";
  const signal = { sender, event: "backchannel-logout", subject, effect, withOffline: false } as const;
  const done = await once(services, policy, "logout_token", message, () => applySignal(services, policy, signal));
  if (done === null) throw refused("signal_replayed", "The logout token was used before");
}

/**
 * Checks what is specific to logout tokens (§2.4, §2.6): the event, no `nonce`, so that no ID token passes as a logout token, and a
 * subject or a session.
 */
function requireLogout({ events, nonce, sub, sid }: Readonly<Record<string, unknown>>, issuer: string): SignalSubject {
  if (!isObject(events) || !isObject(events[EVENT])) {
    throw refused("signal_event_missing", `A logout token has the member ${EVENT} in events`);
  }
  if (nonce !== undefined) throw refused("logout_token_has_nonce", "A logout token has no nonce");
  for (const name of [sub, sid]) {
    if (name !== undefined && (typeof name !== "string" || name === "")) {
      throw refused("signal_subject_missing", "sub and sid of a logout token are texts");
    }
  }
  if (sub === undefined && sid === undefined) {
    throw refused("signal_subject_missing", "A logout token names a subject (sub) or a session (sid)");
  }
  return {
    person: typeof sub === "string" ? [{ kind: "account", issuer, subject: sub }] : [],
    session: typeof sid === "string" ? sid : undefined,
  };
}

function refused(reason: ConstructorParameters<typeof OAuthError>[1]["reason"], description: string): OAuthError {
  return new OAuthError("invalid_request", { reason, description });
}
