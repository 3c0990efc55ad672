import { deviceOf } from "./device.ts";
import type { D1Sessions, SessionSignInUnderWay, SignedInPerson } from "./sessions.d1.ts";
import { hashToken, randomSecret } from "#crypto/secrets.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import { type Authentication, isCancelled, signedOutMeanwhile, type SignIn } from "#single-sign-on/sign-in.ts";
import { ssoOfIssuer, ssoWithoutAsking } from "#single-sign-on/choosing.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { SESSION_LIFETIME_SECONDS } from "./session.ts";
import { type HeldForm, heldFormPurpose, proofOf, requireProof, stepUpOptions } from "./step-up.ts";

/** How long a person has to sign in at the SSO. */
const SIGN_IN_LIFETIME_SECONDS = 15 * 60;

/** The prefixes of `state` for sign-ins to our own pages. The `state` of an authorization has none. */
const STATE_PREFIXES = { signIn: "session.", stepUp: "step-up." };

/**
 * The addresses of our own pages. A sign-in returns nowhere else; otherwise a link could send a person who has just signed in to any
 * site. Dot segments are excluded, because they lead elsewhere: a browser reads `/admin/../oauth/authorize` as an app's request.
 */
const RETURN_TO =
  /^\/(admin|account|search)(\/(?!\.{1,2}([/?]|$))[A-Za-z0-9._~-]+)*(\?[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?$/;

/** A document's page. The id is one segment, the last, and can have any character. */
const DOCUMENT =
  /^\/documents\/[A-Za-z0-9_-]+\/(?!(\.|%2e|%2E){1,2}(\?|$))([A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+(\?[A-Za-z0-9._~!$&'()*+,;=:@/?%-]*)?$/;

/** As long as the longest address that the search page makes. */
const RETURN_TO_CHARACTERS_MAX = 8000;

const NO_OPTIONS = { prompt: undefined, maxAge: undefined, loginHint: undefined };

/**
 * A browser that comes back from the SSO: the secret that identifies it, and the secret of its session, if it has one.
 */
export interface ReturningBrowser {
  readonly browser: string;
  readonly session: string | undefined;
  readonly userAgent: string;
}

/** A new session's secret, and what comes next: a page, or a form that was kept during a step-up. */
export interface FinishedSignIn {
  readonly secret: string;
  readonly returnTo: string;
  readonly form: HeldForm | null;
}

/** Signs people in to our own pages through the SSO, and starts their sessions. */
export class SessionSignIn {
  readonly #store: D1Sessions;
  readonly #signIn: SignIn;
  readonly #keyring: Keyring;

  constructor(store: D1Sessions, signIn: SignIn, keyring: Keyring) {
    this.#store = store;
    this.#signIn = signIn;
    this.#keyring = keyring;
  }

  /** Starts a sign-in that returns to one of our pages. @returns the URL at the SSO */
  begin(instance: RequestInstance, sso: SingleSignOn, returnTo: string, browser: string): Promise<string> {
    const state = STATE_PREFIXES.signIn + this.#signIn.newState();
    const signIn = { returnTo: ownPage(returnTo), personId: null, sealedForm: null };
    return this.#begin(instance, sso, state, browser, signIn);
  }

  /**
   * Starts a step-up, in which a signed-in person authenticates again, at their own SSO. The submitted form is encrypted, and only this session gets it
   * back.
   *
   * @param returnTo the address that the form was posted to
   * @param form the submitted form; `null` if it can't be kept and has to be filled in again
   * @returns the URL at the SSO
   */
  async beginStepUp(
    instance: RequestInstance,
    session: { readonly secret: string; readonly person: Pick<SignedInPerson, "id" | "ssoIssuer"> },
    returnTo: string,
    form: HeldForm | null,
  ): Promise<string> {
    const state = STATE_PREFIXES.stepUp + this.#signIn.newState();
    const sealedForm = form && (await this.#keyring.seal(heldFormPurpose(state), JSON.stringify(form)));
    const { id: personId, ssoIssuer } = session.person;
    const { singleSignOns } = instance.policy;
    const sso = ssoOfIssuer(singleSignOns, ssoIssuer) ?? ssoWithoutAsking(singleSignOns);
    if (!sso) throw signedOutMeanwhile();
    return this.#begin(instance, sso, state, session.secret, { returnTo, personId, sealedForm });
  }

  /**
   * Completes a sign-in when the browser comes back from the SSO. The `state` works once, and only in the browser that started the
   * sign-in, or, for a step-up, in the session that did. If an attacker's sign-in could be completed in another person's browser, that
   * person would work in the attacker's account (login CSRF).
   *
   * @throws {OAuthError} which is shown on our own error page
   */
  async finish(instance: RequestInstance, answer: URL, state: string, back: ReturningBrowser): Promise<FinishedSignIn> {
    const { instanceId, settings } = instance.policy;
    const ahead = this.#signIn.readAhead(instance);
    const now = epochSeconds();
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
    const authentication = await this.#signIn.person(instance, ahead, underWay.ssoIssuer, answer, state, NO_OPTIONS);
    if (underWay.personId !== null) requireProof(authentication, underWay.personId, settings, now);
    const secret = await this.#beginSession(instance, authentication, now, deviceOf(back.userAgent));
    const { returnTo, sealedForm } = underWay;
    const form = sealedForm === null ? null : await this.#keyring.open(heldFormPurpose(state), sealedForm);
    return { secret, returnTo, form: form === null ? null : (JSON.parse(form) as HeldForm) };
  }

  /**
   * Returns the sign-in form's CSRF token, which other sites can't know. It is valid only for this browser and this instance.
   */
  formToken(instance: RequestInstance, browser: string): Promise<string> {
    return this.#keyring.mac("sign-in-form", formText(instance, browser));
  }

  /** Checks whether a sign-in form comes from the page that this browser got. */
  async isOwnForm(instance: RequestInstance, browser: string, token: string | undefined): Promise<boolean> {
    return token !== undefined && this.#keyring.verifyMac("sign-in-form", formText(instance, browser), token);
  }

  async #begin(
    instance: RequestInstance,
    sso: SingleSignOn,
    state: string,
    binding: string,
    signIn: Omit<SessionSignInUnderWay, "ssoIssuer">,
  ): Promise<string> {
    const { instanceId, settings } = instance.policy;
    const options = signIn.personId === null ? NO_OPTIONS : stepUpOptions(settings);
    const url = await this.#signIn.url(instance, this.#signIn.read(sso), state, options);
    const key = { stateHash: await hashToken(state), instanceId, browserHash: await hashToken(binding) };
    await this.#store.beginSignIn(key, { ...signIn, ssoIssuer: sso.issuer }, epochSeconds() + SIGN_IN_LIFETIME_SECONDS);
    return url;
  }

  async #beginSession(
    { policy }: RequestInstance,
    authentication: Authentication,
    now: number,
    device: string,
  ): Promise<string> {
    const secret = randomSecret();
    const isBegun = await this.#store.begin(
      policy.instanceId,
      await hashToken(secret),
      authentication,
      proofOf(authentication, policy.settings, now),
      now,
      now + SESSION_LIFETIME_SECONDS,
      device,
    );
    if (!isBegun) throw signedOutMeanwhile();
    return secret;
  }
}

function formText({ policy }: RequestInstance, browser: string): string {
  return `${policy.instanceId} ${browser}`;
}

/** Returns the page to come back to: the requested one if it is ours, otherwise the account page. */
export function ownPage(returnTo: string): string {
  const isOurs = RETURN_TO.test(returnTo) || DOCUMENT.test(returnTo);
  return isOurs && returnTo.length <= RETURN_TO_CHARACTERS_MAX ? returnTo : "/account";
}

/** Checks whether a `state` belongs to a sign-in to our own pages. */
export function isSessionState(state: string): boolean {
  return Object.values(STATE_PREFIXES).some((prefix) => state.startsWith(prefix));
}
