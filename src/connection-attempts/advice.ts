import type { GrantProgress } from "#grants/grants.ts";
import type { Attempt } from "./attempt.ts";
import { type ConnectionStep, type Step, STEPS } from "./connection-step.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** Each step's label, and the advice if no step followed it. */
const WORDS: Readonly<Record<Step, { readonly label: string; readonly silence: string }>> = {
  challenge: {
    label: "Call without a token",
    silence:
      "The app got the address for sign-in but didn’t continue. Check that it supports OAuth for MCP servers, and select Connect or Authenticate in the app.",
  },
  metadata: {
    label: "Metadata read",
    silence:
      "The app read the metadata but didn’t continue. Check that it can register itself or has a client metadata document. Otherwise, create a client and enter its client id in the app.",
  },
  registration: {
    label: "Registration",
    silence:
      "The app registered but didn’t open the sign-in page. Ask the person to connect again and to allow the app to open the browser.",
  },
  authorization: {
    label: "Authorization",
    silence:
      "The person didn’t return from single sign-on. Check the identity provider’s log, and use Doctor to check the redirect URI.",
  },
  "sign-in": {
    label: "Sign-in",
    silence:
      "The person signed in but hasn’t answered on the consent page. Ask them to connect again and select Allow.",
  },
  consent: {
    label: "Consent",
    silence:
      "The person allowed the app, but the app didn’t get its token. Check that the app was still running and can reach this service.",
  },
  token: { label: "Token", silence: "" },
  refresh: { label: "Refresh", silence: "" },
  call: { label: "Call", silence: "" },
  signal: { label: "Sign-out signal", silence: "" },
};

/** What an administrator can do about a refusal, for refusals whose text to the caller doesn't say so. */
const FIXES: Readonly<Partial<Record<RefusalReason, string>>> = {
  oauth_not_enabled: "Turn on OAuth on the OAuth page.",
  registration_off: "Create a client for this app, approve it on its page, or accept apps on the Registration page.",
  redirect_uri_not_approved: "Approve the host on the Registration page, or create a client with this redirect URI.",
  client_pending: "Approve the app on the Registration page.",
  client_unknown:
    "The app uses a client id that is unknown, or was deleted or blocked. Remove the connection in the app and add it again.",
  client_not_authenticated:
    "The app’s client id, secret or key is wrong. Enter it again in the app, or remove the connection and add it again.",
  redirect_uri_not_registered: "Add the app’s redirect URI to its client, or have the app register again.",
  code_expired: "The app took more than a minute to exchange its code. Check the app’s network and connect again.",
  code_verifier_wrong: "The app exchanged the code of another attempt. Close all sign-in windows and connect again.",
  code_replayed:
    "The app exchanged its code twice, so its grant was revoked. Connect again, and report the problem to the app’s maker.",
  refresh_token_reused:
    "An old refresh token was used again, by another process of the app or by somebody who copied it. Connect again. If the app often does this, increase the reuse time on the OAuth page.",
  grant_revoked: "The person or an administrator revoked the grant; see the audit log. Connect again.",
  grant_idle: "The app wasn’t used for longer than the idle time on the OAuth page. Connect again.",
  person_deactivated: "If the person should have access, reactivate them on the People page.",
  sso_unreachable: "The identity provider didn’t respond. Open the Doctor page.",
  sso_not_configured: "Connect your identity provider on the Single sign-on page.",
  sso_answered_error:
    "The identity provider refused the person. At Entra and Okta, assign the person or their group to the application of this service, or see its sign-in log.",
  sso_email_missing: "Have the identity provider put the email address into the ID token.",
  sso_email_unverified:
    "The identity provider says that the email address isn’t verified, or says it in a form that doesn’t count. Have it send true, or no such claim.",
  sso_email_domain_foreign:
    "The email domain isn’t among those of the single sign-on that the person used. Add it on the Single sign-on page, or ask them to choose the other one.",
  sso_answer_invalid: "The identity provider’s response was invalid. Test the connection on the Single sign-on page.",
  signal_sender_unknown:
    "The sender is neither your single sign-on nor a transmitter. Compare the issuer with those on the Single sign-on and Sign-out signals pages.",
  signal_audience_wrong:
    "The signal is addressed to another service. Copy the address or audience from the Sign-out signals page to it.",
  signal_key_unknown: "The sender’s keys changed, or it isn’t the sender it claims to be. Send the signal again.",
  signal_not_recent:
    "The signal is older than an hour (a security event: than a week), or the sender’s clock is wrong.",
  signal_subject_unknown: "The person has never signed in here, or the sender doesn’t speak for them.",
  sso_required_claim_differs:
    "The Single sign-on page doesn’t allow this person’s account. Ask them to use their work account.",
  client_disabled: "Enable the app on the Apps page.",
  app_disabled: "Administrators disabled or denied this app. Enable it on the Apps page, if people may use it.",
  client_removed: "The app was deleted. Remove the connection in the app and add it again, if it may be used.",
  mcp_origin_refused: "The app calls from a web page without https. Serve the page over https.",
  token_expired: "Tokens normally expire every hour. If the app doesn’t refresh its token, connect it again.",
  app_not_for_person:
    "Rules decide which groups may use this app, and the person is in none of them. Add a rule on the app’s page, under Who may use it, or add the person to a group.",
  scopes_no_longer_allowed:
    "The app or the person lost the scopes of the grant. See the app’s page: its scopes, and under Who may use it, the rules for the person’s groups.",
  service_token_malformed: "The token is damaged, or isn’t one of this service. Copy it again.",
  service_token_outside_networks: "Add the program’s network to the token on the Tokens page.",
  service_token_revoked: "Create another token on the Tokens page.",
  service_token_unknown: "The token was replaced or deleted. Create another one on the Tokens page.",
  scope_withheld:
    "A rule of the app withholds this scope from the person’s groups. See the app’s page, under Who may use it.",
  scope_missing: "Add the scope to the app’s client, or on the Registration page, and connect again.",
};

/** One step of an attempt, as pages show it. */
export interface StepShown {
  readonly step: Step;
  readonly label: string;
  readonly at: number;
  /** Absent if the step is known only from the grant, which shows that it succeeded. */
  readonly requestId?: string;
  readonly reason: RefusalReason | null;
  /** The text that the caller got; `null` if the step succeeded. */
  readonly cause: string | null;
}

export interface Explanation {
  /** Oldest first. */
  readonly steps: readonly StepShown[];
  /** What came of the attempt, so far as it is known. */
  readonly status:
    | { readonly is: "connected" | "waiting" }
    | { readonly is: "refused"; readonly reason: RefusalReason }
    | { readonly is: "unfinished"; readonly after: string };
  /** What to do next; empty if nothing needs to be done. */
  readonly advice: string;
}

/**
 * Returns an attempt's steps, and advice about the step at which it stopped.
 *
 * @param requestId the request that somebody asks about: if it failed, the advice is about it, even if others followed
 */
export function explain(attempt: Attempt, grant: GrantProgress | undefined, requestId?: string): Explanation {
  const passed = (step: Step, at: number | null | undefined): StepShown[] =>
    at === null || at === undefined ? [] : [{ step, label: WORDS[step].label, at, reason: null, cause: null }];
  const steps = [
    ...attempt.steps.map(shown),
    ...passed("consent", grant?.createdAt),
    ...passed("token", grant?.redeemedAt),
    ...passed("refresh", grant?.rotatedAt),
  ].sort(byTime);
  const telling = steps.find((step) => step.reason !== null && step.requestId === requestId) ?? steps.at(-1);
  if (!telling) return { steps, status: { is: "unfinished", after: "" }, advice: "" };
  const { step, label, reason } = telling;
  if (reason === "client_pending") return { steps, status: { is: "waiting" }, advice: fixOf(reason) };
  if (reason !== null) return { steps, status: { is: "refused", reason }, advice: fixOf(reason) };
  // Connected hosts begin again from time to time, and no other step follows.
  const isAgain = step === "metadata" || step === "challenge";
  const hasToken = steps.some((one) => one.step === "token" && one.reason === null);
  if (hasToken && (isAgain || WORDS[step].silence === "")) return { steps, status: { is: "connected" }, advice: "" };
  return { steps, status: { is: "unfinished", after: label }, advice: WORDS[step].silence };
}

/** Returns what an administrator can do about a refusal; empty if its text to the caller says so. */
export function fixOf(reason: string): string {
  return Object.hasOwn(FIXES, reason) ? (FIXES[reason as RefusalReason] ?? "") : "";
}

function shown({ step, at, requestId, reason, message }: ConnectionStep): StepShown {
  return { step, label: WORDS[step].label, at, requestId, reason, cause: message };
}

/**
 * Sorts by time, and within one second in the order in which hosts take the steps. A refused step comes after a successful one of
 * the same kind.
 */
function byTime(one: StepShown, other: StepShown): number {
  return (
    one.at - other.at ||
    STEPS.indexOf(one.step) - STEPS.indexOf(other.step) ||
    Number(one.reason !== null) - Number(other.reason !== null)
  );
}
