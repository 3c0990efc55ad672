import type { AuditEntry } from "#audit/audit.ts";
import { hashToken, type TokenHash } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Role } from "#people/role.ts";
import type { Clock } from "#platform/clock.ts";
import { PATIENCE_MILLISECONDS, within } from "#platform/patience.ts";
import { inBatches } from "#platform/sweep.ts";
import { OAuthError } from "#protocol/errors.ts";
import { isFresh } from "./step-up.ts";

/** A working day, so people who leave a browser open overnight have to sign in again. */
export const SESSION_LIFETIME_SECONDS = 8 * 3600;

/**
 * The most sessions of one person; a new one ends the oldest, so that nobody can fill the table by signing in (ASVS 5.0 §7.1.2).
 */
export const SESSIONS_PER_PERSON = 20;

/** A session ends after half an hour without a page view, because nobody is there any more (ASVS 5.0 §7.3.1). */
const IDLE_SECONDS = 30 * 60;

/**
 * A page view is recorded only if the last record is at least this old. So most views write nothing, and a session ends 25 to 30
 * minutes after the last view.
 */
const USE_RECORDED_SECONDS = 5 * 60;

/** The person who is signed in to our own pages, with their current role. */
export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role | null;
}

/** A session as it is stored. Times are Unix seconds. */
export interface RunningSession {
  readonly instanceId: number;
  readonly person: SignedInPerson;
  /** To within a few minutes. */
  readonly lastUsedAt: number;
  /** When the person authenticated at the SSO; `null` if unknown or if the settings don't accept how they did. */
  readonly authenticatedAt: number | null;
}

/** One of a person's sessions, as they see it. */
export interface OwnSession {
  readonly since: number;
  /** To within a few minutes. */
  readonly lastUsedAt: number;
  readonly isThis: boolean;
}

export interface SessionStore {
  /**
   * Returns a session that hasn't expired and was used after `usedAfter`; `null` if there is none or its person is deactivated. The
   * caller checks its instance, which may not be known yet.
   */
  find(secretHash: TokenHash, now: number, usedAfter: number): Promise<RunningSession | null>;
  /** Records a use, unless the session was idle for too long: check and update are one statement. */
  recordUse(instanceId: number, secretHash: TokenHash, now: number, usedAfter: number): Promise<void>;
  end(instanceId: number, secretHash: TokenHash, now: number): Promise<void>;
  /** Ends all sessions and all sign-ins in progress. The entry gets the number of sessions. @returns how many */
  endAll(entry: AuditEntry<"sessions_ended">): Promise<{ readonly sessions: number; readonly signIns: number }>;
  /** Returns a person's sessions, newest first. */
  ofPerson(
    instanceId: number,
    personId: string,
    thisHash: TokenHash,
    now: number,
    usedAfter: number,
  ): Promise<OwnSession[]>;
  /**
   * Ends a person's other sessions. The entry gets their number; if there are none, it isn't recorded.
   *
   * @returns how many
   */
  endOthers(personId: string, thisHash: TokenHash, entry: AuditEntry<"sessions_ended">): Promise<number>;
  count(instanceId: number, now: number, usedAfter: number): Promise<number>;
  /** Deletes at most `rowsMax` expired sessions. @returns how many */
  sweep(now: number, rowsMax: number): Promise<number>;
  /** Deletes at most `rowsMax` expired sign-ins that were never completed. @returns how many */
  sweepSignIns(now: number, rowsMax: number): Promise<number>;
}

/**
 * The sessions of people on the service's own pages. Apps never get a session: an authorization always goes through the SSO
 * (docs/decisions/0004-sessions.md).
 *
 * The cookie contains a secret, and the database its hash. The person and their role are read on every request.
 */
export class Sessions {
  readonly #store: SessionStore;
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  /** What was read ahead, by the request that it was read for: what a role allows is never older than a request. */
  readonly #ahead = new WeakMap<object, RunningSession | null>();

  constructor(store: SessionStore, keyring: Keyring, clock: Clock) {
    this.#store = store;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /**
   * Returns the session's person, and whether they authenticated in the last minutes; `null` if there is no such session, it was idle
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
  ): Promise<{ readonly person: SignedInPerson; readonly isFresh: boolean } | null> {
    const now = this.#clock();
    const secretHash = await hashToken(secret);
    const ahead = request && this.#ahead.get(request);
    const session = ahead === undefined ? await this.#store.find(secretHash, now, now - IDLE_SECONDS) : ahead;
    // A session is valid at its own instance only, whoever sends its cookie to another one.
    if (session?.instanceId !== policy.instanceId) return null;
    if (isUse && session.lastUsedAt <= now - USE_RECORDED_SECONDS) {
      await this.#store.recordUse(policy.instanceId, secretHash, now, now - IDLE_SECONDS);
    }
    return { person: session.person, isFresh: isFresh(session.authenticatedAt, now) };
  }

  /** Reads the session of a request before its instance is known, for {@link find}. Never throws, and gives up before long. */
  async readAhead(request: object, secret: string): Promise<void> {
    const now = this.#clock();
    try {
      const read = this.#store.find(await hashToken(secret), now, now - IDLE_SECONDS);
      this.#ahead.set(request, await within(PATIENCE_MILLISECONDS, "the session was not read in time", read));
    } catch {
      // The session is read again.
    }
  }

  /** Returns a person's sessions, including this one. */
  async ofPerson({ policy }: RequestInstance, personId: string, secret: string): Promise<OwnSession[]> {
    const now = this.#clock();
    return this.#store.ofPerson(policy.instanceId, personId, await hashToken(secret), now, now - IDLE_SECONDS);
  }

  /** Ends a person's sessions except this one (ASVS 5.0 §7.5.2). @returns how many */
  async endOthers({ policy }: RequestInstance, personId: string, secret: string): Promise<number> {
    return this.#store.endOthers(personId, await hashToken(secret), {
      instanceId: policy.instanceId,
      at: this.#clock(),
      actor: personId,
      event: "sessions_ended",
      detail: { sessions: 0 },
    });
  }

  /** Counts the instance's current sessions. */
  count(instanceId: number): Promise<number> {
    const now = this.#clock();
    return this.#store.count(instanceId, now, now - IDLE_SECONDS);
  }

  /** Deletes sign-ins that were not completed in time. @returns how many */
  sweepSignIns(): Promise<number> {
    return inBatches((rowsMax) => this.#store.sweepSignIns(this.#clock(), rowsMax));
  }

  /** Deletes expired sessions. @returns how many */
  sweep(): Promise<number> {
    return inBatches((rowsMax) => this.#store.sweep(this.#clock(), rowsMax));
  }

  async end({ policy }: RequestInstance, secret: string): Promise<void> {
    await this.#store.end(policy.instanceId, await hashToken(secret), this.#clock());
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
