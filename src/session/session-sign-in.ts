import { hashToken, type TokenHash } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { randomSecret } from "#crypto/random.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import { type Authentication, isCancelled, type SignIn, signedOutMeanwhile } from "#single-sign-on/sign-in.ts";
import { SESSION_LIFETIME_SECONDS } from "./session.ts";
import { type HeldForm, heldFormPurpose, proofOf, requireProof, stepUpOptions } from "./step-up.ts";

/** Time to sign in at the SSO. */
const SIGN_IN_LIFETIME_SECONDS = 15 * 60;

/** Each may hold a form, and who is signed in could fill the storage with them: the one that began first goes. */
export const STEP_UPS_PER_PERSON = 20;

/** Tells sign-ins to our own pages from an authorization's, whose state is the bare secret. */
const STATE_PREFIXES = { signIn: "session.", stepUp: "step-up." };

/**
 * Our own pages; nothing else is a place to come back to, or a link could send a person who just signed in anywhere. Dot
 * segments lead out of them: a browser reads `/admin/../oauth/authorize` as an app's request.
 */
const RETURN_TO = /^\/(admin|account|search)(\/(?!\.{1,2}([/?]|$))[A-Za-z0-9._~-]+)*(\?[A-Za-z0-9._~=&%+-]*)?$/;

/** Longer than any page of ours with its filters. */
const RETURN_TO_CHARACTERS_MAX = 1000;

const NO_OPTIONS = { prompt: undefined, maxAge: undefined, loginHint: undefined };

/** A sign-in on its way to the SSO and back. */
export interface SessionSignInUnderWay {
  readonly returnTo: string;
  /** Of a step-up: whose sign-in it has to be; else `null`. */
  readonly personId: string | null;
  readonly sealedForm: string | null;
}

export interface SessionSignInStore {
  /** Begins a sign-in; of a person's step-ups, {@link STEP_UPS_PER_PERSON} stay. */
  beginSignIn(
    key: { readonly stateHash: TokenHash; readonly instanceId: number; readonly browserHash: TokenHash },
    signIn: SessionSignInUnderWay,
    expiresAt: number,
  ): Promise<void>;
  /** Takes a sign-in that comes back. Once: check and claim are one statement. */
  claimSignIn(
    key: { readonly stateHash: TokenHash; readonly instanceId: number; readonly browserHash: TokenHash },
    now: number,
  ): Promise<SessionSignInUnderWay | null>;
  /** Begins a session. @returns `false` if the person or their session at the SSO was signed out meanwhile */
  begin(
    instanceId: number,
    secretHash: TokenHash,
    of: Pick<Authentication, "personId" | "signOuts" | "ssoSession">,
    authenticatedAt: number | null,
    now: number,
    expiresAt: number,
  ): Promise<boolean>;
}

/** The browser that comes back: the secret that ties requests to it, and its session where it has one. */
export interface ReturningBrowser {
  readonly browser: string;
  readonly session: string | undefined;
}

/** A new session, and where it goes on: at a page, or at a form that waited for a step-up. */
export interface FinishedSignIn {
  readonly secret: string;
  readonly returnTo: string;
  readonly form: HeldForm | null;
}

/** The way to the SSO and back that makes a session of our own pages. */
export class SessionSignIn {
  readonly #store: SessionSignInStore;
  readonly #signIn: SignIn;
  readonly #keyring: Keyring;
  readonly #clock: Clock;

  constructor(store: SessionSignInStore, signIn: SignIn, keyring: Keyring, clock: Clock) {
    this.#store = store;
    this.#signIn = signIn;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /** Where the browser signs in, to come back to one of our pages. */
  begin(instance: RequestInstance, returnTo: string, browser: string): Promise<string> {
    const state = STATE_PREFIXES.signIn + this.#signIn.newState();
    const signIn = { returnTo: ownPage(returnTo), personId: null, sealedForm: null };
    return this.#begin(instance, state, browser, signIn);
  }

  /**
   * Where a signed-in person authenticates again. The form that waits for it is sealed: it comes back to this session alone.
   *
   * @param returnTo the address that the form was posted to
   * @param form what was posted; `null` where it cannot be kept, and is filled in again
   */
  async beginStepUp(
    instance: RequestInstance,
    session: { readonly secret: string; readonly person: { readonly id: string } },
    returnTo: string,
    form: HeldForm | null,
  ): Promise<string> {
    const state = STATE_PREFIXES.stepUp + this.#signIn.newState();
    const sealedForm = form && (await this.#keyring.seal(heldFormPurpose(state), JSON.stringify(form)));
    return this.#begin(instance, state, session.secret, { returnTo, personId: session.person.id, sealedForm });
  }

  /**
   * Takes the browser back from the SSO. The state is good once, and only in the browser that began, of a step-up in the session
   * that began: a sign-in that somebody else began would leave the person working in that somebody's account (login CSRF).
   *
   * @throws {OAuthError} for a page of our own
   */
  async finish(instance: RequestInstance, answer: URL, state: string, back: ReturningBrowser): Promise<FinishedSignIn> {
    const { instanceId, settings } = instance.policy;
    const now = this.#clock();
    const binding = state.startsWith(STATE_PREFIXES.stepUp) ? (back.session ?? "") : back.browser;
    const key = { stateHash: await hashToken(state), instanceId, browserHash: await hashToken(binding) };
    const underWay = await this.#store.claimSignIn(key, now);
    if (underWay === null) {
      throw new OAuthError("invalid_request", {
        reason: "session_sign_in_unknown",
        description: "This sign-in has expired, was already completed, or was started in another browser: start again",
      });
    }
    if (isCancelled(answer)) {
      throw new OAuthError("access_denied", {
        reason: "sign_in_cancelled",
        description: "The sign-in was cancelled: open the page again to sign in",
      });
    }
    const authentication = await this.#signIn.person(instance, answer, state, NO_OPTIONS);
    if (underWay.personId !== null) requireProof(authentication, underWay.personId, settings, now);
    const secret = await this.#beginSession(instance, authentication, now);
    const { returnTo, sealedForm } = underWay;
    const form = sealedForm === null ? null : await this.#keyring.open(heldFormPurpose(state), sealedForm);
    return { secret, returnTo, form: form === null ? null : (JSON.parse(form) as HeldForm) };
  }

  /** What the sign-in form carries and another site's cannot know: good for this browser, and at this instance alone. */
  formToken(instance: RequestInstance, browser: string): Promise<string> {
    return this.#keyring.mac("sign-in-form", formText(instance, browser));
  }

  /** Whether a sign-in form was sent from the page that this browser was shown. */
  async isOwnForm(instance: RequestInstance, browser: string, token: string | undefined): Promise<boolean> {
    return token !== undefined && this.#keyring.verifyMac("sign-in-form", formText(instance, browser), token);
  }

  async #begin(
    instance: RequestInstance,
    state: string,
    binding: string,
    signIn: SessionSignInUnderWay,
  ): Promise<string> {
    const { instanceId, settings } = instance.policy;
    const options = signIn.personId === null ? NO_OPTIONS : stepUpOptions(settings);
    const url = await this.#signIn.url(instance, state, options);
    const key = { stateHash: await hashToken(state), instanceId, browserHash: await hashToken(binding) };
    await this.#store.beginSignIn(key, signIn, this.#clock() + SIGN_IN_LIFETIME_SECONDS);
    return url;
  }

  async #beginSession({ policy }: RequestInstance, authentication: Authentication, now: number): Promise<string> {
    const secret = randomSecret();
    const isBegun = await this.#store.begin(
      policy.instanceId,
      await hashToken(secret),
      authentication,
      proofOf(authentication, policy.settings, now),
      now,
      now + SESSION_LIFETIME_SECONDS,
    );
    if (!isBegun) throw signedOutMeanwhile();
    return secret;
  }
}

function formText({ policy }: RequestInstance, browser: string): string {
  return `${policy.instanceId} ${browser}`;
}

/** The page to come back to; the account page where another site's, or none, was asked for. */
export function ownPage(returnTo: string): string {
  return returnTo.length <= RETURN_TO_CHARACTERS_MAX && RETURN_TO.test(returnTo) ? returnTo : "/account";
}

/** Whether a state belongs to a sign-in to our own pages. */
export function isSessionState(state: string): boolean {
  return Object.values(STATE_PREFIXES).some((prefix) => state.startsWith(prefix));
}
