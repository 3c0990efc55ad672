import type { D1Sessions, OwnSession, RunningSession } from "./sessions.d1.ts";
import { hashToken } from "#crypto/secrets.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import { PATIENCE_MILLISECONDS, within } from "#platform/patience.ts";
import { OAuthError } from "#protocol/errors.ts";
import { isFresh } from "./step-up.ts";

/** A working day, so people who leave a browser open overnight have to sign in again. */
export const SESSION_LIFETIME_SECONDS = 8 * 3600;

/** A session ends after half an hour without a page view, because nobody is there any more (ASVS 5.0 §7.3.1). */
const IDLE_SECONDS = 30 * 60;

/**
 * A page view is recorded only if the last record is at least this old. So most views write nothing, and a session ends 25 to 30
 * minutes after the last view.
 */
const USE_RECORDED_SECONDS = 5 * 60;

/**
 * The sessions of people on the service's own pages. Apps never get a session: an authorization always goes through the SSO
 * (docs/decisions/0004-sessions.md).
 *
 * The cookie contains a secret, and the database its hash. The person and their role are read on every request.
 */
export class Sessions {
  readonly #store: D1Sessions;
  readonly #keyring: Keyring;
  /** What was read ahead, by the request that it was read for: what a role allows is never older than a request. */
  readonly #ahead = new WeakMap<object, RunningSession | null>();

  constructor(store: D1Sessions, keyring: Keyring) {
    this.#store = store;
    this.#keyring = keyring;
  }

  /**
   * Returns the session's person, when they signed in, and whether they authenticated in the last minutes; `null` if there is no such session, it was idle
   * for too long, or the person is deactivated.
   *
   * @param isUse whether a person made the request: a page that refreshes itself must not keep a session alive
   * @param request as in {@link readAhead}
   */
  async find(
    { policy }: RequestInstance,
    secret: string,
    isUse = true,
    request?: object,
  ): Promise<(Pick<RunningSession, "person" | "signedInAt"> & { readonly isFresh: boolean }) | null> {
    const now = epochSeconds();
    const secretHash = await hashToken(secret);
    const ahead = request && this.#ahead.get(request);
    const session = ahead === undefined ? await this.#store.find(secretHash, now, now - IDLE_SECONDS) : ahead;
    // A session is valid at its own instance only, whoever sends its cookie to another one.
    if (session?.instanceId !== policy.instanceId) return null;
    if (isUse && session.lastUsedAt <= now - USE_RECORDED_SECONDS) {
      await this.#store.recordUse(policy.instanceId, secretHash, now, now - IDLE_SECONDS);
    }
    const { person, signedInAt, authenticatedAt } = session;
    return { person, signedInAt, isFresh: isFresh(authenticatedAt, now) };
  }

  /** Reads the session of a request before its instance is known, for {@link find}. Never throws, and gives up before long. */
  async readAhead(request: object, secret: string): Promise<void> {
    const now = epochSeconds();
    try {
      const read = this.#store.find(await hashToken(secret), now, now - IDLE_SECONDS);
      this.#ahead.set(request, await within(PATIENCE_MILLISECONDS, "the session was not read in time", read));
    } catch {
      // The session is read again.
    }
  }

  /** Returns a person's sessions, including this one. */
  async ofPerson({ policy }: RequestInstance, personId: string, secret: string): Promise<OwnSession[]> {
    const now = epochSeconds();
    return this.#store.ofPerson(policy.instanceId, personId, await hashToken(secret), now, now - IDLE_SECONDS);
  }

  /** Ends a person's sessions except this one (ASVS 5.0 §7.5.2). @returns how many */
  async endOthers({ policy }: RequestInstance, personId: string, secret: string): Promise<number> {
    return this.#store.endOthers(personId, await hashToken(secret), {
      instanceId: policy.instanceId,
      at: epochSeconds(),
      actor: personId,
      event: "sessions_ended",
      detail: { sessions: 0 },
    });
  }

  /** Counts the instance's current sessions. */
  count(instanceId: number): Promise<number> {
    const now = epochSeconds();
    return this.#store.count(instanceId, now, now - IDLE_SECONDS);
  }

  async end({ policy }: RequestInstance, secret: string): Promise<void> {
    await this.#store.end(policy.instanceId, await hashToken(secret), epochSeconds());
  }

  /** Returns the CSRF token of this session's forms, which other sites can't know. */
  csrfToken(secret: string): Promise<string> {
    return this.#keyring.mac("session-csrf", secret);
  }

  /** @throws {OAuthError} `invalid_request` if the form isn't one of ours, or is from another session */
  async requireOwnForm(secret: string, csrfToken: string | undefined): Promise<void> {
    if (csrfToken !== undefined && (await this.#keyring.verifyMac("session-csrf", secret, csrfToken))) return;
    throw new OAuthError("invalid_request", {
      reason: "csrf_token_wrong",
      description: "This form is from an earlier sign-in: go back, reload the page, then submit the form again",
    });
  }
}
