import type { AuditTrail } from "#audit/audit.ts";
import { hashToken, type TokenHash } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { randomSecret } from "#crypto/random.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";
import { OAuthError } from "#protocol/errors.ts";
import { isCancelled, type SignIn } from "#single-sign-on/sign-in.ts";

/** A working day: whoever leaves a browser open overnight signs in again. */
export const SESSION_LIFETIME_SECONDS = 8 * 3600;

/** Time to sign in at the SSO. */
const SIGN_IN_LIFETIME_SECONDS = 15 * 60;

/** Tells a sign-in to our own pages from an authorization's, whose state is the bare secret. */
const STATE_PREFIX = "session.";

/**
 * Our own pages; nothing else is a place to come back to, or a link could send a person who just signed in anywhere. Dot
 * segments lead out of them: a browser reads `/admin/../oauth/authorize` as an app's request.
 */
const RETURN_TO = /^\/(admin|account)(\/(?!\.{1,2}([/?]|$))[A-Za-z0-9._~-]+)*(\?[A-Za-z0-9._~=&%+-]*)?$/;

/** Longer than any page of ours with its filters. */
const RETURN_TO_CHARACTERS_MAX = 1000;

/** Who is signed in to our own pages, as they stand at this moment. */
export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isAdministrator: boolean;
}

export interface SessionStore {
  beginSignIn(signIn: {
    readonly stateHash: TokenHash;
    readonly instanceId: number;
    readonly browserHash: TokenHash;
    readonly returnTo: string;
    readonly expiresAt: number;
  }): Promise<void>;
  /** Takes a sign-in that comes back. Once: check and claim are one statement. @returns where it was to return to */
  claimSignIn(
    key: { readonly stateHash: TokenHash; readonly instanceId: number; readonly browserHash: TokenHash },
    now: number,
  ): Promise<string | null>;
  begin(instanceId: number, secretHash: TokenHash, personId: string, now: number, expiresAt: number): Promise<void>;
  /** The person of a running session, unless they were deactivated. */
  find(instanceId: number, secretHash: TokenHash, now: number): Promise<SignedInPerson | null>;
  end(instanceId: number, secretHash: TokenHash): Promise<void>;
  /** Ends every session and every sign-in under way; how many sessions. */
  endAll(instanceId: number): Promise<number>;
  count(instanceId: number, now: number): Promise<number>;
  /** Deletes sessions that have expired, at most so many; how many. */
  sweep(now: number, rowsMax: number): Promise<number>;
  /** Deletes sign-ins that were never finished, likewise. */
  sweepSignIns(now: number, rowsMax: number): Promise<number>;
}

/**
 * Being signed in to the admin console and the account page. Apps never get one of these: an authorization always goes through
 * the SSO (docs/decisions/0004-sessions.md).
 *
 * The cookie holds a secret, the database its hash; who the person is and what they may do is read on every request.
 */
export class Sessions {
  readonly #store: SessionStore;
  readonly #signIn: SignIn;
  readonly #keyring: Keyring;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(store: SessionStore, signIn: SignIn, keyring: Keyring, audit: AuditTrail, clock: Clock) {
    this.#store = store;
    this.#signIn = signIn;
    this.#keyring = keyring;
    this.#audit = audit;
    this.#clock = clock;
  }

  /** Where the browser signs in, to come back to one of our pages; to the account page when it asked for any other. */
  async begin(instance: RequestInstance, returnTo: string, browser: string): Promise<string> {
    const state = STATE_PREFIX + randomSecret();
    const url = await this.#signIn.url(instance, state, NO_WISHES);
    await this.#store.beginSignIn({
      stateHash: await hashToken(state),
      instanceId: instance.policy.instanceId,
      browserHash: await hashToken(browser),
      returnTo: returnTo.length <= RETURN_TO_CHARACTERS_MAX && RETURN_TO.test(returnTo) ? returnTo : "/account",
      expiresAt: this.#clock() + SIGN_IN_LIFETIME_SECONDS,
    });
    return url;
  }

  /**
   * Takes the browser back from the SSO. The state is good once, and only in the browser that began: a sign-in that somebody
   * else began would leave the person working in that somebody's account (login CSRF).
   *
   * @returns the session's secret and where to go
   * @throws {OAuthError} for a page of our own
   */
  async finish(
    instance: RequestInstance,
    answer: URL,
    state: string,
    browser: string,
  ): Promise<{ secret: string; returnTo: string }> {
    const { instanceId } = instance.policy;
    const now = this.#clock();
    const key = { stateHash: await hashToken(state), instanceId, browserHash: await hashToken(browser) };
    const returnTo = await this.#store.claimSignIn(key, now);
    if (returnTo === null) {
      throw new OAuthError("invalid_request", {
        reason: "session_sign_in_unknown",
        description: "This sign-in has expired, was finished already, or was begun in another browser: start again",
      });
    }
    if (isCancelled(answer)) {
      throw new OAuthError("access_denied", {
        reason: "sign_in_cancelled",
        description: "The sign-in was cancelled: open the page again to sign in",
      });
    }
    const personId = await this.#signIn.person(instance, answer, state, NO_WISHES);
    const secret = randomSecret();
    await this.#store.begin(instanceId, await hashToken(secret), personId, now, now + SESSION_LIFETIME_SECONDS);
    return { secret, returnTo };
  }

  /** Who this session's person is now; `null` when there is no such session, or the person is deactivated. */
  async find({ policy }: RequestInstance, secret: string): Promise<SignedInPerson | null> {
    return this.#store.find(policy.instanceId, await hashToken(secret), this.#clock());
  }

  /** Signs everybody out, whoever is on the way in too; how many sessions ended. */
  async endAll(instanceId: number, actor: string): Promise<number> {
    const ended = await this.#store.endAll(instanceId);
    const detail = { sessions: ended };
    await this.#audit.append({ instanceId, at: this.#clock(), actor, event: "sessions_ended", detail });
    return ended;
  }

  /** How many sessions there are. */
  count(instanceId: number): Promise<number> {
    return this.#store.count(instanceId, this.#clock());
  }

  /** Forgets sessions and sign-ins that have expired; how many. */
  async sweep(): Promise<number> {
    const now = this.#clock();
    const signIns = await inBatches((rowsMax) => this.#store.sweepSignIns(now, rowsMax));
    return signIns + (await inBatches((rowsMax) => this.#store.sweep(now, rowsMax)));
  }

  async end({ policy }: RequestInstance, secret: string): Promise<void> {
    await this.#store.end(policy.instanceId, await hashToken(secret));
  }

  /** What our forms carry and another site's cannot know. */
  csrfToken(secret: string): Promise<string> {
    return this.#keyring.mac("session-csrf", secret);
  }

  /** @throws {OAuthError} `invalid_request` when a form is not one of ours, or of another session */
  async requireOwnForm(secret: string, csrfToken: string | undefined): Promise<void> {
    if (csrfToken !== undefined && (await this.#keyring.verifyMac("session-csrf", secret, csrfToken))) return;
    throw new OAuthError("invalid_request", {
      reason: "csrf_token_wrong",
      description: "This form is not from your current sign-in: go back, load the page again, then send the form",
    });
  }
}

/** Whether a state belongs to a sign-in to our own pages. */
export function isSessionState(state: string): boolean {
  return state.startsWith(STATE_PREFIX);
}

const NO_WISHES = { prompt: undefined, maxAge: undefined, loginHint: undefined };
