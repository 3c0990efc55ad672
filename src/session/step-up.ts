import type { MessageKey } from "#messages/english.ts";
import type { SealPurpose } from "#crypto/key-purposes.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { Settings } from "#settings/settings.ts";
import type { SignInOptions } from "#single-sign-on/openid-provider.ts";
import type { Authentication } from "#single-sign-on/sign-in.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { CLOCK_TOLERANCE_SECONDS } from "#protocol/numeric-date.ts";

/** A form that only a person who authenticated a moment ago may send. */
export interface SteppedUpForm {
  /** What it does, as its button says it: a text, or a message in the reader's language. */
  readonly act: string | { readonly message: MessageKey };
  /** Which of the forms that this address takes; all of them where it is absent. */
  readonly when?: (form: Parameters) => boolean;
}

/** How old an authentication may be where a decision asks for a fresh one: time for several decisions in a row. */
const FRESH_SECONDS = 10 * 60;

/**
 * How old it may be when it comes back from the SSO (`max_age`, OpenID Connect Core §3.1.2.1). Less than {@link FRESH_SECONDS}, so that
 * the form that waited for it can still be sent.
 */
const MAX_AGE_SECONDS = 5 * 60;

/** More than administrators enter. What waits is stored, and anybody who is signed in may send a form of any fields. */
export const HELD_CHARACTERS_MAX = 16_384;

/** A form that waits for a step-up. */
export interface HeldForm {
  /** What it does, as its button says it. */
  readonly act: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

/** The page that a form belongs to, for people who cancel. */
export function pageOf(action: string): string {
  return action.startsWith("/account") ? "/account" : "/admin";
}

/** What a sealed form is bound to: another sign-in's row does not open it. */
export function heldFormPurpose(state: string): SealPurpose {
  return `step-up-form:${state}`;
}

/** What the SSO is asked for. It may ignore all of it, so {@link requireProof} reads its answer. */
export function stepUpOptions({ stepUpAcrValues }: Settings): SignInOptions {
  return {
    prompt: undefined,
    maxAge: String(MAX_AGE_SECONDS),
    loginHint: undefined,
    acrValues: stepUpAcrValues.length === 0 ? undefined : stepUpAcrValues.join(" "),
  };
}

/**
 * Since when a session counts as proved: the SSO's `auth_time`, where its `acr` is good enough; else `null`. A time to come is now,
 * or an SSO whose clock is ahead would stretch the proof.
 */
export function proofOf({ authenticatedAt, acr }: Authentication, settings: Settings, now: number): number | null {
  return authenticatedAt === undefined || !isAccepted(acr, settings) ? null : Math.min(authenticatedAt, now);
}

/** Whether a proof is recent enough for a decision that cannot be undone. */
export function isFresh(authenticatedAt: number | null, now: number): boolean {
  return authenticatedAt !== null && authenticatedAt > now - FRESH_SECONDS;
}

/**
 * Proves that the person of the session authenticated again, recently, and in the way that the settings ask for (ASVS 5.0 §6.8.4):
 * what was asked of the SSO is in its own answer, or it counts as not done.
 *
 * @throws {OAuthError} `access_denied`
 */
export function requireProof(
  { personId, authenticatedAt, acr }: Authentication,
  expectedPersonId: string,
  settings: Settings,
  now: number,
): void {
  if (personId !== expectedPersonId) {
    throw refused(
      "step_up_by_somebody_else",
      "You signed in as somebody else: go back and sign in with your own account",
    );
  }
  if (authenticatedAt === undefined) {
    throw refused(
      "step_up_without_auth_time",
      "Your organisation's sign-in doesn't say when you signed in (auth_time), so it can't confirm this decision: " +
        "have auth_time added to its ID tokens, or use the command for this decision",
    );
  }
  if (authenticatedAt < now - MAX_AGE_SECONDS - CLOCK_TOLERANCE_SECONDS) {
    throw refused(
      "step_up_not_recent",
      "Your organisation's sign-in didn't ask you to sign in again: sign out there and try again",
    );
  }
  if (!isAccepted(acr, settings)) {
    throw refused(
      "step_up_acr_differs",
      "You didn't sign in the way that this decision needs, such as with a second factor: try again",
    );
  }
}

function isAccepted(acr: string | undefined, { stepUpAcrValues }: Settings): boolean {
  return stepUpAcrValues.length === 0 || (acr !== undefined && stepUpAcrValues.includes(acr));
}

function refused(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError("access_denied", { reason, description });
}
