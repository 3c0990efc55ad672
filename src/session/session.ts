import type { AuditEntry } from "#audit/audit.ts";
import { hashToken, type TokenHash } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Role } from "#people/role.ts";
import type { Clock } from "#platform/clock.ts";
import { inBatches } from "#platform/sweep.ts";
import { OAuthError } from "#protocol/errors.ts";
import { isFresh } from "./step-up.ts";

/** A working day: people who leave a browser open overnight sign in again. */
export const SESSION_LIFETIME_SECONDS = 8 * 3600;

/** At one person's twenty-first sign-in the session that began first ends: nobody fills the table by signing in (ASVS 5.0 §7.1.2). */
export const SESSIONS_PER_PERSON = 20;

/** Without a page view for half an hour a session ends: nobody sits there any more (ASVS 5.0 §7.3.1). */
const IDLE_SECONDS = 30 * 60;

/** A view is recorded when the last record is this old, so that a session ends after 25 to 30 minutes and most views write nothing. */
const USE_RECORDED_SECONDS = 5 * 60;

/** Who is signed in to our own pages, as they stand at this moment. */
export interface SignedInPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role | null;
}

/** A session as it is stored. Times are Unix seconds. */
export interface RunningSession {
  readonly person: SignedInPerson;
  /** To within a few minutes. */
  readonly lastUsedAt: number;
  /** When the person authenticated at the SSO; `null` where that is not known. */
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
  /** A session that has neither expired nor been idle since `usedAfter`, unless its person was deactivated. */
  find(instanceId: number, secretHash: TokenHash, now: number, usedAfter: number): Promise<RunningSession | null>;
  /** Records a use. A session that was idle for too long in the meantime stays ended: both are one statement. */
  recordUse(instanceId: number, secretHash: TokenHash, now: number, usedAfter: number): Promise<void>;
  end(instanceId: number, secretHash: TokenHash, now: number): Promise<void>;
  /** Ends every session and every sign-in under way; how many. The entry gets the number of sessions. */
  endAll(entry: AuditEntry<"sessions_ended">): Promise<{ readonly sessions: number; readonly signIns: number }>;
  /** A person's sessions, the newest first. */
  ofPerson(
    instanceId: number,
    personId: string,
    thisHash: TokenHash,
    now: number,
    usedAfter: number,
  ): Promise<OwnSession[]>;
  /** Ends a person's other sessions. The entry gets their number, and is not made where there are none. */
  endOthers(personId: string, thisHash: TokenHash, entry: AuditEntry<"sessions_ended">): Promise<number>;
  count(instanceId: number, now: number, usedAfter: number): Promise<number>;
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
  readonly #keyring: Keyring;
  readonly #clock: Clock;

  constructor(store: SessionStore, keyring: Keyring, clock: Clock) {
    this.#store = store;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /**
   * Who this session's person is now, and whether they authenticated a moment ago; `null` when there is no such session, nobody used
   * it for too long, or the person is deactivated.
   *
   * @param isUse whether somebody is there: a page that reads itself again keeps no session alive
   */
  async find(
    { policy }: RequestInstance,
    secret: string,
    isUse = true,
  ): Promise<{ readonly person: SignedInPerson; readonly isFresh: boolean } | null> {
    const now = this.#clock();
    const secretHash = await hashToken(secret);
    const session = await this.#store.find(policy.instanceId, secretHash, now, now - IDLE_SECONDS);
    if (!session) return null;
    if (isUse && session.lastUsedAt <= now - USE_RECORDED_SECONDS) {
      await this.#store.recordUse(policy.instanceId, secretHash, now, now - IDLE_SECONDS);
    }
    return { person: session.person, isFresh: isFresh(session.authenticatedAt, now) };
  }

  /** Where else a person is signed in, and here. */
  async ofPerson({ policy }: RequestInstance, personId: string, secret: string): Promise<OwnSession[]> {
    const now = this.#clock();
    return this.#store.ofPerson(policy.instanceId, personId, await hashToken(secret), now, now - IDLE_SECONDS);
  }

  /** Ends a person's sessions but this one (ASVS 5.0 §7.5.2); how many. */
  async endOthers({ policy }: RequestInstance, personId: string, secret: string): Promise<number> {
    return this.#store.endOthers(personId, await hashToken(secret), {
      instanceId: policy.instanceId,
      at: this.#clock(),
      actor: personId,
      event: "sessions_ended",
      detail: { sessions: 0 },
    });
  }

  /** How many sessions there are. */
  count(instanceId: number): Promise<number> {
    const now = this.#clock();
    return this.#store.count(instanceId, now, now - IDLE_SECONDS);
  }

  /** Forgets sign-ins that nobody finished in time; how many. */
  sweepSignIns(): Promise<number> {
    return inBatches((rowsMax) => this.#store.sweepSignIns(this.#clock(), rowsMax));
  }

  /** Forgets sessions that have expired; how many. */
  sweep(): Promise<number> {
    return inBatches((rowsMax) => this.#store.sweep(this.#clock(), rowsMax));
  }

  async end({ policy }: RequestInstance, secret: string): Promise<void> {
    await this.#store.end(policy.instanceId, await hashToken(secret), this.#clock());
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
      description: "This form is from an earlier sign-in: go back, reload the page, then submit the form again",
    });
  }
}
