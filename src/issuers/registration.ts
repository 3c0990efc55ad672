import type { AuditTrail } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type ExternalIssuer, parseExternalIssuer } from "./external-issuer.ts";
import type { Clock } from "#platform/clock.ts";
import { type IssuerDraft, readConfiguration } from "./configuration-rules.ts";

/** Every instance's snapshot carries its issuers, and an organisation has few. */
export const ISSUERS_MAX = 20;

/** An issuer as it is stored. */
export interface StoredIssuer {
  readonly configuration: unknown;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly disabledAt: number | null;
}

export interface ExternalIssuerStore {
  find(instanceId: number, issuer: string): Promise<StoredIssuer | null>;
  list(instanceId: number): Promise<StoredIssuer[]>;
  /**
   * Adds an issuer, or replaces its configuration and leaves it as enabled or disabled as it was.
   *
   * @returns whether it is written; not where the instance would have more than `issuersMax`
   */
  write(instanceId: number, configuration: ExternalIssuer, now: number, issuersMax: number): Promise<boolean>;
  /** @returns whether that changed anything */
  disable(instanceId: number, issuer: string, now: number): Promise<boolean>;
  /** @returns whether that changed anything */
  enable(instanceId: number, issuer: string, now: number): Promise<boolean>;
  remove(instanceId: number, issuer: string): Promise<boolean>;
}

/** An issuer as administrators see it. */
export interface RegisteredIssuer {
  readonly configuration: ExternalIssuer;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly isDisabled: boolean;
}

/** What an administrator changes about an issuer; `undefined` takes a value back to its default. */
export type IssuerChanges = Omit<IssuerDraft, "issuer">;

/** The instance that an issuer is registered with. */
interface IssuingInstance {
  readonly id: number;
  readonly name: string;
  readonly singleSignOn: { readonly issuer: string } | null;
}

/** Which identity providers' access tokens the Client API takes, as administrators decide it. Every change is in the audit. */
export class ExternalIssuers {
  readonly #store: ExternalIssuerStore;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;
  readonly #hostPattern: string;

  /** @param hostPattern how this deployment's own hosts are named, with `{instance}` in it */
  constructor(store: ExternalIssuerStore, audit: AuditTrail, clock: Clock, hostPattern: string) {
    this.#store = store;
    this.#audit = audit;
    this.#clock = clock;
    this.#hostPattern = hostPattern;
  }

  async list(instance: IssuingInstance): Promise<RegisteredIssuer[]> {
    return (await this.#store.list(instance.id)).map(toRegistered);
  }

  /** @throws {AdministrationRefused} when it is not registered */
  async require(instance: IssuingInstance, issuer: string): Promise<RegisteredIssuer> {
    const stored = await this.#store.find(instance.id, issuer);
    if (stored) return toRegistered(stored);
    const known = (await this.#store.list(instance.id)).map((each) => toRegistered(each).configuration.issuer);
    const nearest = known.find((each) => withoutSlash(each) === withoutSlash(issuer));
    throw new AdministrationRefused(
      `${instance.name} has no issuer ${issuer}${nearest === undefined ? "" : `; it has ${nearest}`}`,
    );
  }

  /**
   * Registers an issuer; one that is registered gets this configuration in place of its old one, and stays disabled where it was.
   *
   * @throws {AdministrationRefused} when the configuration would let in the wrong people, or nobody, or there are too many
   */
  async register(instance: IssuingInstance, draft: IssuerDraft, actor: string): Promise<RegisteredIssuer> {
    const configuration = this.#read(instance, draft);
    const before = await this.#store.find(instance.id, configuration.issuer);
    await this.#write(instance, configuration);
    await (before
      ? this.#record(instance, actor, "external_issuer_changed", {
          before: toRegistered(before).configuration,
          after: configuration,
        })
      : this.#record(instance, actor, "external_issuer_registered", { after: configuration }));
    return this.require(instance, configuration.issuer);
  }

  /**
   * Registers an issuer that is not registered yet.
   *
   * @throws {AdministrationRefused} as {@link register} does, and when it is registered: its settings would be lost
   */
  async add(instance: IssuingInstance, draft: IssuerDraft, actor: string): Promise<RegisteredIssuer> {
    const { issuer } = this.#read(instance, draft);
    if (await this.#store.find(instance.id, issuer)) {
      throw new AdministrationRefused(`The issuer ${issuer} is registered already: change it instead`, "issuer");
    }
    return this.register(instance, draft, actor);
  }

  /** @throws {AdministrationRefused} when it is not registered, or the change makes it unacceptable */
  async edit(
    instance: IssuingInstance,
    issuer: string,
    changes: IssuerChanges,
    actor: string,
  ): Promise<RegisteredIssuer> {
    const { configuration: before } = await this.require(instance, issuer);
    const after = this.#read(instance, { ...before, ...changes, issuer });
    await this.#write(instance, after);
    await this.#record(instance, actor, "external_issuer_changed", { before, after });
    return this.require(instance, issuer);
  }

  /**
   * Refuses an issuer's tokens within a policy snapshot's age, and keeps its configuration.
   *
   * @returns whether it was enabled
   */
  async disable(instance: IssuingInstance, issuer: string, actor: string): Promise<boolean> {
    await this.require(instance, issuer);
    const changed = await this.#store.disable(instance.id, issuer, this.#clock());
    if (changed) await this.#record(instance, actor, "external_issuer_disabled", { issuer });
    return changed;
  }

  /**
   * Takes an issuer's tokens again. Its configuration is held against the rules anew: the SSO may be another one by now.
   *
   * @returns whether it was disabled
   * @throws {AdministrationRefused} when its configuration is no longer acceptable
   */
  async enable(instance: IssuingInstance, issuer: string, actor: string): Promise<boolean> {
    const { configuration } = await this.require(instance, issuer);
    this.#read(instance, configuration);
    const changed = await this.#store.enable(instance.id, issuer, this.#clock());
    if (changed) await this.#record(instance, actor, "external_issuer_enabled", { issuer });
    return changed;
  }

  /** Forgets an issuer; people who came by it stay, with what they may see. */
  async remove(instance: IssuingInstance, issuer: string, actor: string): Promise<void> {
    const { configuration } = await this.require(instance, issuer);
    await this.#store.remove(instance.id, issuer);
    await this.#record(instance, actor, "external_issuer_removed", { before: configuration });
  }

  #read({ singleSignOn }: IssuingInstance, draft: IssuerDraft): ExternalIssuer {
    const surroundings = { hostPattern: this.#hostPattern, singleSignOnIssuer: singleSignOn?.issuer ?? null };
    return readConfiguration(draft, surroundings);
  }

  async #write(instance: IssuingInstance, configuration: ExternalIssuer): Promise<void> {
    if (await this.#store.write(instance.id, configuration, this.#clock(), ISSUERS_MAX)) return;
    throw new AdministrationRefused(`An instance has at most ${ISSUERS_MAX} issuers: remove one that is not needed`);
  }

  #record<Event extends AuditEvent>(
    instance: IssuingInstance,
    actor: string,
    event: Event,
    detail: AuditDetails[Event],
  ): Promise<void> {
    return this.#audit.append({ instanceId: instance.id, at: this.#clock(), actor, event, detail });
  }
}

function toRegistered({ configuration, createdAt, changedAt, disabledAt }: StoredIssuer): RegisteredIssuer {
  return { configuration: parseExternalIssuer(configuration), createdAt, changedAt, isDisabled: disabledAt !== null };
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "").toLowerCase();
}
