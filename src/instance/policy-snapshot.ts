import { BoundedMap } from "#platform/bounded-map.ts";
import type { Clock } from "#platform/clock.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { AppRules } from "#app-access/app-rules.ts";
import type { Placement } from "#documents/moving/placement.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import { inBatches } from "#platform/sweep.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX, type Settings, type SingleSignOn } from "#settings/settings.ts";

/** Half of the age below: from here on a request is served at once and the next snapshot is fetched behind it. */
const RENEW_AFTER_SECONDS = 5;

/** A revocation or the administrator's switch holds everywhere after this long. */
const TRUSTED_SECONDS_MAX = 10;

/** While D1 does not answer, the last snapshot serves this long; then requests are refused with 503. */
export const OUTAGE_SECONDS_MAX = 60;

/** Instances whose snapshots an isolate holds. */
const SNAPSHOTS_MAX = 1000;

/** Unknown names are remembered apart, so that asking for thousands of them pushes no instance out. */
const UNKNOWN_MAX = 1000;

/**
 * This often a snapshot is read whole, and not by what changed: what has expired leaves the memory, and a database that was put back
 * to an earlier moment is followed.
 */
const WHOLE_AFTER_SECONDS = 600;

/** A storage that just failed is not asked again by every request. */
const RETRY_AFTER_SECONDS = 1;

export interface PublishedKey {
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** When the last token that it signed has expired; `null` before it retires. */
  readonly endsAt: number | null;
}

/** All that deciding about a request needs to know of an instance, as of one moment. */
export interface PolicySnapshot {
  /** The last change that is in it. */
  readonly version: number;
  readonly instanceId: number;
  readonly name: string;
  readonly settings: Settings;
  readonly singleSignOn: SingleSignOn | null;
  /** Where its documents are. */
  readonly documents: Placement;
  readonly publishedKeys: ReadonlyMap<string, PublishedKey>;
  /** The published key that signs; `null` before the first use. */
  readonly signingKid: string | null;
  /** Revoked grants with an access token that has not expired by itself. */
  readonly revokedGrants: ReadonlySet<string>;
  readonly disabledClients: ReadonlySet<string>;
  /** The scopes of clients that were changed within that time: a running token keeps no scope that its client has lost. */
  readonly changedClients: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** Who was deactivated within that time; who was before that has no token alive and gets no new one. */
  readonly deactivatedPeople: ReadonlySet<string>;
  /** When people were last signed out everywhere, within that time: identity providers' tokens from before it are refused. */
  readonly signedOutPeople: ReadonlyMap<string, number>;
  /** The identity providers whose tokens the Client API takes, by issuer. */
  readonly externalIssuers: ReadonlyMap<string, ExternalIssuer>;
  /** Which groups may use which app. */
  readonly appRules: AppRules;
  /** When service-issued tokens were last revoked or rotated, by id, at least as far back as an isolate remembers a token. */
  readonly changedServiceTokens: ReadonlyMap<string, number>;
}

/** How long an isolate may go by what it once read of a service-issued token; the snapshot tells what changed since. */
export const SERVICE_TOKENS_REMEMBERED_SECONDS = 3600;

/** The organisation's name, as people see it on pages. */
export function organisationOf({ settings, name }: Pick<PolicySnapshot, "settings" | "name">): string {
  return settings.displayName ?? name;
}

/** What makes pages the organisation's own. */
export interface Brand {
  readonly organisation: string;
  /** Where its logo is. */
  readonly logo: string | undefined;
  /** The support contact: an email address or an https URL. */
  readonly supportContact: string | undefined;
}

/** What pages show of the organisation around themselves. */
export function brandOf(policy: Pick<PolicySnapshot, "settings" | "name">): Brand {
  const { logo, supportContact } = policy.settings;
  return {
    organisation: organisationOf(policy),
    logo: logo === undefined ? undefined : `/assets/logo?v=${logo}`,
    supportContact,
  };
}

/** Where snapshots come from. */
export interface PolicySource {
  /** One round trip. `null` when no instance has this name. */
  readPolicy(instanceName: string, now: number): Promise<PolicySnapshot | null>;
  /** A snapshot with what changed since: itself where nothing did. `null` when no instance has its name any more. */
  renewPolicy(snapshot: PolicySnapshot, now: number): Promise<PolicySnapshot | null>;
}

/**
 * For longer than any isolate goes without reading the policy whole, and than the longest life of an access token: a row that is gone
 * concerns nobody any more.
 */
const CHANGES_KEPT_SECONDS = ACCESS_TOKEN_LIFETIME_SECONDS_MAX + 3600;

/** The list of changes by which snapshots are renewed. */
export interface PolicyChanges {
  /** Deletes the oldest changes, as far as they are older than this by the database's clock, at most so many; how many. */
  sweepChanges(olderThanSeconds: number, rowsMax: number): Promise<number>;
}

/** Forgets changes that every isolate has read and no living token is concerned by; how many. */
export function sweepPolicyChanges(changes: PolicyChanges): Promise<number> {
  return inBatches((rowsMax) => changes.sweepChanges(CHANGES_KEPT_SECONDS, rowsMax));
}

/**
 * After a clock has stepped back the age is unknown: it counts as the most that is trusted. A negative one would keep the snapshot,
 * and the memory of a failure, for as long as the clock stepped.
 */
function countAnew(held: Held, now: number): void {
  held.readAt = now - TRUSTED_SECONDS_MAX;
  held.wholeAt = -Infinity;
  held.failedAt = 0;
}

interface Held {
  snapshot: PolicySnapshot | null;
  readAt: number;
  /** When it was last read whole. */
  wholeAt: number;
  renewing: boolean;
  /** Something changed in this isolate: the snapshot serves only while the storage is down. */
  expired: boolean;
  failedAt: number;
}

/**
 * The policy of each instance, in isolate memory: no storage is touched on the warm path, and nothing older than ten seconds
 * decides while the storage answers.
 */
export class PolicySnapshots {
  readonly #source: PolicySource;
  readonly #clock: Clock;
  readonly #onRead: (snapshot: PolicySnapshot) => void;
  readonly #held = new BoundedMap<string, Held>(SNAPSHOTS_MAX);
  readonly #unknown = new BoundedMap<string, Held>(UNKNOWN_MAX);

  /** @param onRead is told of every snapshot that was read */
  constructor(source: PolicySource, clock: Clock, onRead: (snapshot: PolicySnapshot) => void = () => undefined) {
    this.#source = source;
    this.#clock = clock;
    this.#onRead = onRead;
  }

  /**
   * What is recent enough to decide by, without waiting for anything; from half of that age on it is renewed behind the answer.
   *
   * @returns `undefined` when there is nothing so recent
   */
  recent(instanceName: string, waitUntil: WaitUntil): PolicySnapshot | null | undefined {
    const held = this.#find(instanceName);
    if (!held) return undefined;
    const now = this.#clock();
    if (now < held.readAt) countAnew(held, now);
    const age = now - held.readAt;
    if (held.expired || age >= TRUSTED_SECONDS_MAX) return undefined;
    if (age >= RENEW_AFTER_SECONDS) this.#renewBehind(instanceName, held, waitUntil);
    return held.snapshot;
  }

  /**
   * {@link recent}, else what the storage says now.
   *
   * @returns `null` when no instance has this name
   * @throws whatever the source throws, once the outage lasts longer than {@link OUTAGE_SECONDS_MAX}
   */
  async of(instanceName: string, waitUntil: WaitUntil): Promise<PolicySnapshot | null> {
    const recent = this.recent(instanceName, waitUntil);
    return recent === undefined ? this.current(instanceName) : recent;
  }

  /**
   * What the storage says now, for pages on which somebody decides: another isolate may have written it a moment ago. Requests beside
   * it go on with what is recent.
   *
   * @returns `null` when no instance has this name
   * @throws whatever the source throws, once the outage lasts longer than {@link OUTAGE_SECONDS_MAX}
   */
  async current(instanceName: string): Promise<PolicySnapshot | null> {
    const held = this.#find(instanceName);
    const now = this.#clock();
    if (held && now - held.failedAt < RETRY_AFTER_SECONDS && now - held.readAt < OUTAGE_SECONDS_MAX) {
      return held.snapshot;
    }
    try {
      return await this.#read(instanceName);
    } catch (error) {
      if (held && now - held.readAt < OUTAGE_SECONDS_MAX) {
        held.failedAt = now;
        return held.snapshot;
      }
      throw error;
    }
  }

  /**
   * A snapshot read now, unless the last read was within the last second: for a token whose key is not in the snapshot, which
   * is either a key made since then or somebody's invention.
   */
  async reread(instanceName: string): Promise<PolicySnapshot | null> {
    const held = this.#find(instanceName);
    if (held && !held.expired && this.#clock() - held.readAt < 1) return held.snapshot;
    return this.#read(instanceName);
  }

  /** Makes the next request read again, so that a revocation takes effect at once in this isolate. */
  expire(instanceName: string): void {
    const held = this.#find(instanceName);
    if (held) held.expired = true;
  }

  #find(instanceName: string): Held | undefined {
    return this.#held.get(instanceName) ?? this.#unknown.get(instanceName);
  }

  #renewBehind(instanceName: string, held: Held, waitUntil: WaitUntil): void {
    if (held.renewing) return;
    held.renewing = true;
    waitUntil(
      this.#read(instanceName).catch(() => {
        held.renewing = false;
      }),
    );
  }

  /**
   * A burst of first requests reads several times. Waiting for another request's read instead would hang all of them if that
   * request's client went away: workerd ends its work with it.
   */
  async #read(instanceName: string): Promise<PolicySnapshot | null> {
    const now = this.#clock();
    const asked = this.#find(instanceName);
    const wasExpired = asked?.expired ?? false;
    const held = this.#held.get(instanceName);
    const former = held && now - held.wholeAt < WHOLE_AFTER_SECONDS ? held : undefined;
    const snapshot = former?.snapshot
      ? await this.#source.renewPolicy(former.snapshot, now)
      : await this.#source.readPolicy(instanceName, now);
    if (snapshot) this.#onRead(snapshot);
    const wholeAt = former?.wholeAt ?? now;
    const [memory, other] = snapshot ? [this.#held, this.#unknown] : [this.#unknown, this.#held];
    // Of what changed while this was being read nobody can say whether it is in it.
    const expired = !wasExpired && asked?.expired === true;
    memory.set(instanceName, { snapshot, readAt: now, wholeAt, renewing: false, expired, failedAt: 0 });
    other.delete(instanceName);
    return snapshot;
  }
}
