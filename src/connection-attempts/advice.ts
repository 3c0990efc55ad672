import type { GrantProgress } from "#grants/grant-directory.ts";
import type { Attempt } from "./attempt.ts";
import { type ConnectionStep, type Step, STEPS } from "./connection-step.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** What each step is called, and what it means when nothing came after it. */
const WORDS: Readonly<Record<Step, { readonly label: string; readonly silence: string }>> = {
  challenge: {
    label: "Call without a token",
    silence:
      "The app was told where to sign in, and asked no further. Check that it supports OAuth for MCP servers, and press its Connect or Authenticate button.",
  },
  metadata: {
    label: "Metadata read",
    silence:
      "The app read the metadata and did not go on. Check that it can register itself or has a document; otherwise create a client for it and enter the client id in the app.",
  },
  registration: {
    label: "Registration",
    silence:
      "The app registered and never opened the sign-in page. Ask the person to connect again and to let the app open the browser.",
  },
  authorization: {
    label: "Authorization",
    silence:
      "The person did not come back from single sign-on. Check the identity provider's log and that it knows this service's redirect URI (Doctor).",
  },
  "sign-in": {
    label: "Sign-in",
    silence: "The person signed in and has not answered the consent page. Ask them to connect again and press Allow.",
  },
  consent: {
    label: "Consent",
    silence:
      "The person allowed the app, and the app did not fetch its token. Check that the app was still running, and that it can reach this service.",
  },
  token: { label: "Token", silence: "" },
  refresh: { label: "Refresh", silence: "" },
  call: { label: "Call", silence: "" },
};

/** What an administrator does about a refusal, where the text that its caller got does not say it. */
const FIXES: Readonly<Partial<Record<RefusalReason, string>>> = {
  oauth_not_enabled: "Enable OAuth on the OAuth page.",
  registration_off: "Create a client for this app, or allow registration on the Registration page.",
  redirect_uri_not_approved: "Approve the host on the Registration page, or create a client with this redirect URI.",
  client_pending: "Approve the app on the Registration page.",
  client_unknown:
    "The app uses a client id that was deleted, swept or blocked, or comes from elsewhere. Remove the connection in the app and add it again.",
  client_not_authenticated:
    "The app's client id, secret or key is not right here. Enter them again in the app, or remove the connection and add it again.",
  redirect_uri_not_registered: "Add the redirect URI that the app sends to its client, or let the app register anew.",
  code_expired: "The app took longer than a minute to redeem its code. Connect again; check the app's network.",
  code_verifier_wrong: "The app redeemed the code of another attempt. Close all sign-in windows and connect once.",
  code_replayed:
    "The app redeemed its code twice, so its access was ended. Connect again; report it to the app's maker.",
  refresh_token_reused:
    "Two processes of the app used one refresh token too far apart, or somebody copied it. Connect again; raise the repeat window on the OAuth page if the app is known for it.",
  grant_revoked: "The access was ended by the person or an administrator; the audit log says by whom. Connect again.",
  grant_idle: "The app was not used for longer than the idle time on the OAuth page. Connect again.",
  person_deactivated: "Reactivate the person on the People page, if they are to have access.",
  sso_unreachable: "The identity provider did not answer: open the Doctor page.",
  sso_not_configured: "Connect your identity provider on the Single sign-on page.",
  sso_answer_invalid:
    "The identity provider's answer was not acceptable: test the connection on the Single sign-on page.",
  sso_required_claim_differs: "The person signed in with an account that the Single sign-on page does not allow.",
  client_disabled: "Enable the client, or unblock the app on the Registration page.",
  mcp_origin_refused: "The app calls from a web page that is not served over https. Use it over https.",
  token_expired: "Expired tokens are normal once an hour. If no refresh follows, connect the app again.",
  scope_missing: "Let the app have the scope (its client, or the scopes on the Registration page), then connect again.",
};

/** A line of an attempt's way: what happened at a step. */
export interface StepShown {
  readonly step: Step;
  readonly label: string;
  readonly at: number;
  /** Absent where the grant says that the step was passed. */
  readonly requestId?: string;
  readonly reason: RefusalReason | null;
  /** What the caller was told. */
  readonly cause: string | null;
}

export interface Explanation {
  /** In their order of time. */
  readonly steps: readonly StepShown[];
  readonly hasFailed: boolean;
  /** What to do about the last step; empty where all is well. */
  readonly advice: string;
}

/**
 * An attempt's steps, and what to do where it stopped.
 *
 * @param requestId the request that somebody asks about: where it failed the advice is about it, although others may have followed
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
  if (!telling) return { steps, hasFailed: false, advice: "" };
  if (telling.reason === null) return { steps, hasFailed: false, advice: WORDS[telling.step].silence };
  return { steps, hasFailed: true, advice: FIXES[telling.reason] ?? "" };
}

function shown({ step, at, requestId, reason, message }: ConnectionStep): StepShown {
  return { step, label: WORDS[step].label, at, requestId, reason, cause: message };
}

/** Within one second, the way that hosts go; what was refused is tried again, or was tried once too often. */
function byTime(one: StepShown, other: StepShown): number {
  return (
    one.at - other.at ||
    STEPS.indexOf(one.step) - STEPS.indexOf(other.step) ||
    Number(one.reason !== null) - Number(other.reason !== null)
  );
}
