import type { MessageKey } from "#messages/english.ts";
import type { SealPurpose } from "#crypto/key-purposes.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { Settings } from "#settings/settings.ts";
import type { SignInOptions } from "#single-sign-on/openid-provider.ts";
import type { Authentication } from "#single-sign-on/sign-in.ts";
import { OAuthError } from "#protocol/errors.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { CLOCK_TOLERANCE_SECONDS } from "#protocol/numeric-date.ts";

/** A form that a person may send only if they authenticated in the last minutes. */
export interface SteppedUpForm {
  /** The label of its button: a text, or a message in the reader's language. */
  readonly act: string | { readonly message: MessageKey };
  /** Selects which forms sent to this address need it; if absent, all. */
  readonly when?: (form: Parameters) => boolean;
}

/** How old an authentication may be for decisions that need a fresh one. Leaves time for several decisions in a row. */
const FRESH_SECONDS = 10 * 60;

/**
 * How old an authentication may be when the browser comes back from the SSO (`max_age`, OpenID Connect Core §3.1.2.1). Less than
 * {@link FRESH_SECONDS}, so that there is time to send the kept form.
 */
const MAX_AGE_SECONDS = 5 * 60;

/**
 * The most characters of a kept form, including its address. Administrators enter less, but any signed-in person can send a form with
 * any fields, and it is stored.
 */
export const HELD_CHARACTERS_MAX = 16_384;

/** A form that is kept during a step-up. */
export interface HeldForm {
  /** The label of its button. */
  readonly act: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

/** Returns the page that people go to if they cancel a form. */
export function pageOf(action: string): string {
  return action.startsWith("/account") ? "/account" : "/admin";
}

/**
 * Returns the purpose for which a form is sealed. It contains the `state`, so a form moved to another sign-in's row can't be
 * opened.
 */
export function heldFormPurpose(state: string): SealPurpose {
  return `step-up-form:${state}`;
}

/**
 * Returns what a step-up requests from the SSO. The SSO may ignore all of it, so {@link requireProof} checks its response.
 */
export function stepUpOptions({ stepUpAcrValues }: Settings): SignInOptions {
  return {
    prompt: undefined,
    maxAge: String(MAX_AGE_SECONDS),
    loginHint: undefined,
    acrValues: stepUpAcrValues.length === 0 ? undefined : stepUpAcrValues.join(" "),
  };
}

/**
 * Returns when a session's person authenticated: the SSO's `auth_time` if its `acr` is accepted, otherwise `null`. A time in the
 * future counts as now; otherwise, an SSO whose clock is ahead would extend the freshness.
 */
export function proofOf({ authenticatedAt, acr }: Authentication, settings: Settings, now: number): number | null {
  return authenticatedAt === undefined || !isAccepted(acr, settings) ? null : Math.min(authenticatedAt, now);
}

/** Checks whether an authentication is recent enough for a decision that needs a fresh one. */
export function isFresh(authenticatedAt: number | null, now: number): boolean {
  return authenticatedAt !== null && authenticatedAt > now - FRESH_SECONDS;
}

/**
 * Checks that the session's person authenticated again, recently, and as the settings require (ASVS 5.0 §6.8.4). The request to the
 * SSO proves nothing; its response must say so.
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
