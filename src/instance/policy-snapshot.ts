import { BoundedMap } from "#platform/bounded-map.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { OUTAGE_SECONDS_MAX, PATIENCE_MILLISECONDS, RETRY_AFTER_SECONDS, within } from "#platform/patience.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { AppContent } from "#app-access/app-content.ts";
import type { AppRules } from "#app-access/app-rules.ts";
import type { GlossaryEntry } from "#glossary/glossary.ts";
import type { Placement } from "#documents/moving/engines.ts";
import type { ExternalIssuer } from "#issuers/external-issuer.ts";
import type { Settings, SingleSignOn } from "#settings/settings.ts";

/**
 * Half of the age below. From this age on, a request uses the snapshot at once, and the next one is fetched in the background.
 */
const RENEW_AFTER_SECONDS = 5;

/** A revocation or a changed setting takes effect everywhere within this time. */
const TRUSTED_SECONDS_MAX = 10;

/** Maximum instances whose snapshots an isolate keeps. */
const SNAPSHOTS_MAX = 1000;

/** Unknown names are remembered separately, so that requests for thousands of them push out no instance. */
const UNKNOWN_MAX = 1000;

/**
 * After this time a snapshot is read as a whole again, and not by its changes: expired entries leave the memory, and a database
 * that was restored to an earlier time is followed.
 */
const WHOLE_AFTER_SECONDS = 600;

export interface PublishedKey {
  readonly kid: string;
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** When the last token that it signed has expired; `null` before it is retired. */
  readonly endsAt: number | null;
}

/** Everything about an instance that is needed to decide about a request, at one point in time. */
export interface PolicySnapshot {
  /** The id of the last change that it includes. */
  readonly version: number;
  readonly instanceId: number;
  readonly name: string;
  /** Why this code can't serve the tables of the database; `null` if it can. */
  readonly schemaFault: string | null;
  readonly settings: Settings;
  /** Where people sign in: usually one SSO, or none yet. */
  readonly singleSignOns: readonly SingleSignOn[];
  /** Where its documents are stored. */
  readonly documents: Placement;
  readonly publishedKeys: ReadonlyMap<string, PublishedKey>;
  /** The published key that signs tokens, with its sealed private part; `null` before the first use. */
  readonly signingKey: { readonly kid: string; readonly sealedPrivateJwk: string } | null;
  /**
   * Revoked grants with an access token that has not expired yet, and why they were revoked, if their row still says so. Below,
   * "recently" means within the longest lifetime of an access token.
   */
  readonly revokedGrants: ReadonlyMap<string, string | null>;
  readonly disabledClients: ReadonlySet<string>;
  /** The clients that may exchange other apps' tokens for their own. */
  readonly exchangers: ReadonlySet<string>;
  /** The scopes of clients that changed recently. An existing token loses the scopes that its client has lost. */
  readonly changedClients: ReadonlyMap<string, ReadonlySet<Scope>>;
  /** People who were deactivated recently. Anybody deactivated earlier has no unexpired token and gets no new one. */
  readonly deactivatedPeople: ReadonlySet<string>;
  /** When people were last signed out everywhere, in milliseconds since 1970, if recently. Identity providers' tokens from before are refused. */
  readonly signedOutPeople: ReadonlyMap<string, number>;
  /** The identity providers whose tokens are accepted, by issuer. */
  readonly externalIssuers: ReadonlyMap<string, ExternalIssuer>;
  /** What its words are also called in search. */
  readonly glossary: readonly GlossaryEntry[];
  /** The groups that may use each app. */
  readonly appRules: AppRules;
  /** What each app may search. */
  readonly appContent: AppContent;
  /**
   * When service-issued tokens were last revoked or rotated, by id, for at least as long as an isolate caches a token.
   */
  readonly changedServiceTokens: ReadonlyMap<string, number>;
}

/** How long an isolate may cache a service-issued token. The snapshot says what changed since. */
export const SERVICE_TOKENS_REMEMBERED_SECONDS = 3600;

/** Returns the organisation's name, as pages show it. */
export function organisationOf({ settings, name }: Pick<PolicySnapshot, "settings" | "name">): string {
  return settings.displayName ?? name;
}

/** The parts of pages that are specific to the organisation. */
export interface Brand {
  readonly organisation: string;
  /** The path of its logo. */
  readonly logo: string | undefined;
  /** The support contact: an email address or an https URL. */
  readonly supportContact: string | undefined;
}

/** Returns what pages show of the organisation. */
export function brandOf(policy: Pick<PolicySnapshot, "settings" | "name">): Brand {
  const { logo, supportContact } = policy.settings;
  return {
    organisation: organisationOf(policy),
    logo: logo === undefined ? undefined : `/assets/logo?v=${logo}`,
    supportContact,
  };
}

/** The storage that snapshots are read from. */
export interface PolicySource {
  /** Reads a snapshot in one round trip; `null` if no instance has this name. */
  readPolicy(instanceName: string, now: number): Promise<PolicySnapshot | null>;
  /**
   * Returns a snapshot with the changes since: the same object if nothing changed. `null` if no instance has its name any more.
   */
  renewPolicy(snapshot: PolicySnapshot, now: number): Promise<PolicySnapshot | null>;
}

/**
 * Resets the times after the clock has stepped back. The age of the snapshot is unknown then, and counts as the oldest that is
 * trusted. A negative age would keep the snapshot, and the memory of a failure, for as long as the clock stepped back.
 */
function countAnew(held: Held, now: number): void {
  held.readAt = now - TRUSTED_SECONDS_MAX;
  held.wholeAt = -Infinity;
  held.failedAt = 0;
}

interface Held {
  snapshot: PolicySnapshot | null;
  readAt: number;
  /** When the whole snapshot was last read. */
  wholeAt: number;
  renewing: boolean;
  /** Something changed in this isolate, so the snapshot is used only while the storage is down. */
  expired: boolean;
  failedAt: number;
}

/**
 * The policy of each instance, in the isolate's memory. Usually no storage is read, and nothing older than ten seconds is used
 * while the storage responds.
 */
export class PolicySnapshots {
  readonly #source: PolicySource;
  readonly #onRead: (snapshot: PolicySnapshot) => void;
  readonly #held = new BoundedMap<string, Held>(SNAPSHOTS_MAX);
  readonly #unknown = new BoundedMap<string, Held>(UNKNOWN_MAX);

  /** @param onRead called with every snapshot that is read */
  constructor(source: PolicySource, onRead: (snapshot: PolicySnapshot) => void = () => undefined) {
    this.#source = source;
    this.#onRead = onRead;
  }

  /**
   * Returns the snapshot if it is recent enough, without waiting. From half of the trusted age on, it is renewed in the background.
   *
   * @returns `undefined` if there is none that is recent enough
   */
  recent(instanceName: string, waitUntil: WaitUntil): PolicySnapshot | null | undefined {
    const held = this.#find(instanceName);
    if (!held) return undefined;
    const now = epochSeconds();
    if (now < held.readAt) countAnew(held, now);
    const age = now - held.readAt;
    if (held.expired || age >= TRUSTED_SECONDS_MAX) return undefined;
    if (age >= RENEW_AFTER_SECONDS) this.#renewBehind(instanceName, held, waitUntil);
    return held.snapshot;
  }

  /**
   * Returns the {@link recent} snapshot, or else reads the storage.
   *
   * @returns `null` if no instance has this name
   * @throws whatever the source throws, if the outage lasts longer than {@link OUTAGE_SECONDS_MAX}
   */
  async of(instanceName: string, waitUntil: WaitUntil): Promise<PolicySnapshot | null> {
    const recent = this.recent(instanceName, waitUntil);
    return recent === undefined ? this.current(instanceName, waitUntil) : recent;
  }

  /**
   * Reads the storage, for pages on which somebody decides, because another isolate may have just written a change. Concurrent
   * requests continue with the recent snapshot.
   *
   * @param waitUntil for a read that takes too long: it continues, so that storage that is slow and not down is followed
   * @returns `null` if no instance has this name
   * @throws whatever the source throws, if the outage lasts longer than {@link OUTAGE_SECONDS_MAX}
   */
  async current(instanceName: string, waitUntil: WaitUntil): Promise<PolicySnapshot | null> {
    const held = this.#find(instanceName);
    const now = epochSeconds();
    if (!held || now - held.readAt >= OUTAGE_SECONDS_MAX) return this.#read(instanceName);
    if (now - held.failedAt < RETRY_AFTER_SECONDS) return held.snapshot;
    const read = this.#read(instanceName);
    try {
      return await within(PATIENCE_MILLISECONDS, "the policy was not read in time", read);
    } catch {
      waitUntil(read.catch(() => undefined));
      held.failedAt = epochSeconds();
      return held.snapshot;
    }
  }

  /**
   * Reads a snapshot, unless the last read was within the last second. For a token whose key is not in the snapshot: the key is
   * either new, or invented.
   */
  async reread(instanceName: string): Promise<PolicySnapshot | null> {
    const held = this.#find(instanceName);
    if (held && !held.expired && epochSeconds() - held.readAt < 1) return held.snapshot;
    return this.#read(instanceName);
  }

  /** Makes the next request read the storage again, so that a revocation takes effect at once in this isolate. */
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
   * Reads a snapshot. A burst of first requests reads several times. If they waited for another request's read instead, they would
   * all hang if that request's client disconnected, because workerd ends its work then.
   */
  async #read(instanceName: string): Promise<PolicySnapshot | null> {
    const now = epochSeconds();
    const asked = this.#find(instanceName);
    const wasExpired = asked?.expired ?? false;
    const held = this.#held.get(instanceName);
    const former = held && now - held.wholeAt < WHOLE_AFTER_SECONDS ? held : undefined;
    const snapshot = former?.snapshot
      ? await this.#source.renewPolicy(former.snapshot, now)
      : await this.#source.readPolicy(instanceName, now);
    if (snapshot) this.#onRead(snapshot);
    const wholeAt = former?.wholeAt ?? now;
    // A read that D1 answered late is older than what was read meanwhile.
    if ((this.#find(instanceName)?.readAt ?? 0) > now) return snapshot;
    const [memory, other] = snapshot ? [this.#held, this.#unknown] : [this.#unknown, this.#held];
    // Something changed during this read, so the snapshot may not include it.
    const expired = !wasExpired && asked?.expired === true;
    memory.set(instanceName, { snapshot, readAt: now, wholeAt, renewing: false, expired, failedAt: 0 });
    other.delete(instanceName);
    return snapshot;
  }
}
