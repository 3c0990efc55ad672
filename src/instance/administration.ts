import type { AuditTrail } from "#audit/audit.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { randomId } from "#crypto/random.ts";
import type { Clock } from "#platform/clock.ts";
import * as v from "valibot";
import { isInstanceName } from "./instance-host.ts";
import { parseSettings, type Settings, type SingleSignOn, settingsSchema, singleSignOnPurpose } from "./settings.ts";

/** An administrator asked for something that cannot be done. The text says what to change. */
export class AdministrationRefused extends Error {
  override readonly name = "AdministrationRefused";
}

export interface InstanceRecord {
  readonly id: number;
  readonly name: string;
  /** As stored: only what differs from the defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly singleSignOn: SingleSignOn | null;
}

export interface PersonRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly isAdministrator: boolean;
  readonly lastSignInAt: number | null;
  readonly deactivatedAt: number | null;
}

export interface Instances {
  /** @returns `null` when the name is taken */
  create(name: string, now: number): Promise<InstanceRecord | null>;
  find(name: string): Promise<InstanceRecord | null>;
  list(): Promise<InstanceRecord[]>;
  writeSettings(instanceId: number, settings: Readonly<Record<string, unknown>>): Promise<void>;
  writeSingleSignOn(instanceId: number, singleSignOn: SingleSignOn): Promise<void>;
  /** Makes sure that there is a person of this email; the one there is. */
  ensurePerson(instanceId: number, email: string, newPersonId: string, now: number): Promise<PersonRecord>;
  listPeople(instanceId: number): Promise<PersonRecord[]>;
  writeAdministrator(instanceId: number, personId: string, isAdministrator: boolean): Promise<void>;
  /** Unties a person from the SSO's subject: the next sign-in with their email takes the row over. */
  releaseIdentity(instanceId: number, personId: string): Promise<void>;
  writeDeactivation(instanceId: number, personId: string, deactivatedAt: number | null): Promise<void>;
}

/** How an instance is connected to its SSO, as an administrator gives it. */
export type SingleSignOnOrder = Omit<SingleSignOn, "sealedClientSecret"> & { readonly clientSecret: string };

/** What administrators decide about instances. Every change is in the audit, with who, what, before and after. */
export class InstanceAdministration {
  readonly #instances: Instances;
  readonly #keyring: Keyring;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(instances: Instances, keyring: Keyring, audit: AuditTrail, clock: Clock) {
    this.#instances = instances;
    this.#keyring = keyring;
    this.#audit = audit;
    this.#clock = clock;
  }

  list(): Promise<InstanceRecord[]> {
    return this.#instances.list();
  }

  /** @throws {AdministrationRefused} when there is no such instance */
  async require(name: string): Promise<InstanceRecord> {
    const instance = await this.#instances.find(name);
    if (instance) return instance;
    throw new AdministrationRefused(`There is no instance ${name}: create it with "instance create ${name}"`);
  }

  /** @throws {AdministrationRefused} when the name cannot stand in a host or is taken */
  async create(name: string, actor: string): Promise<InstanceRecord> {
    if (!isInstanceName(name)) {
      throw new AdministrationRefused(
        "An instance's name is letters a-z, digits and dashes, at most 63: it stands in the host",
      );
    }
    const instance = await this.#instances.create(name, this.#clock());
    if (!instance) throw new AdministrationRefused(`There is an instance ${name} already`);
    await this.#record(instance.id, actor, "instance_created", { name });
    return instance;
  }

  /**
   * Changes some settings.
   *
   * @throws {AdministrationRefused} for an unknown setting or a value out of bounds
   */
  async changeSettings(
    instance: InstanceRecord,
    changes: Readonly<Record<string, unknown>>,
    actor: string,
  ): Promise<Settings> {
    const unknown = Object.keys(changes).find((name) => !(name in settingsSchema.entries));
    if (unknown !== undefined) {
      throw new AdministrationRefused(
        `There is no setting ${unknown}; there are ${Object.keys(settingsSchema.entries).join(", ")}`,
      );
    }
    const next = { ...instance.settings, ...changes };
    const parsed = v.safeParse(settingsSchema, next);
    if (!parsed.success) {
      const [issue] = parsed.issues;
      throw new AdministrationRefused(`${v.getDotPath(issue) ?? "The setting"} is not acceptable: ${issue.message}`);
    }
    await this.#instances.writeSettings(instance.id, next);
    const before = parseSettings(instance.settings);
    await this.#record(instance.id, actor, "settings_changed", {
      before: Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof Settings]])),
      after: changes,
    });
    return parsed.output;
  }

  /** @throws {AdministrationRefused} when the issuer cannot be one, or would let everybody in */
  async setSingleSignOn(instance: InstanceRecord, order: SingleSignOnOrder, actor: string): Promise<void> {
    const { clientSecret, ...connection } = order;
    requireSafeIssuer(order);
    if (clientSecret === "") throw new AdministrationRefused("The SSO's client secret is empty");
    const sealedClientSecret = await this.#keyring.seal(singleSignOnPurpose(instance.name), clientSecret);
    await this.#instances.writeSingleSignOn(instance.id, { ...connection, sealedClientSecret });
    await this.#record(instance.id, actor, "single_sign_on_changed", connection);
  }

  /** The person of this email; someone who never signed in is made known, and takes the row over at the first sign-in. */
  async ensurePerson(instance: InstanceRecord, email: string): Promise<PersonRecord> {
    if (!/^[^@\s]{1,64}@[^@\s]{1,255}$/.test(email))
      throw new AdministrationRefused(`${email} is not an email address`);
    return this.#instances.ensurePerson(instance.id, email.toLowerCase(), randomId(), this.#clock());
  }

  listPeople(instance: InstanceRecord): Promise<PersonRecord[]> {
    return this.#instances.listPeople(instance.id);
  }

  async setAdministrator(
    instance: InstanceRecord,
    person: PersonRecord,
    isAdministrator: boolean,
    actor: string,
  ): Promise<void> {
    await this.#instances.writeAdministrator(instance.id, person.id, isAdministrator);
    await this.#record(instance.id, actor, "administrator_changed", { email: person.email, isAdministrator });
  }

  /**
   * Unties a person from the account that they signed in with, for an organisation that moved to another SSO or made the account
   * anew: whoever signs in next with this verified email is them.
   */
  async releaseIdentity(instance: InstanceRecord, person: PersonRecord, actor: string): Promise<void> {
    await this.#instances.releaseIdentity(instance.id, person.id);
    await this.#record(instance.id, actor, "person_released", { email: person.email });
  }

  /** A deactivated person cannot sign in, and their tokens end within the age of a policy snapshot. */
  async setDeactivated(
    instance: InstanceRecord,
    person: PersonRecord,
    deactivated: boolean,
    actor: string,
  ): Promise<void> {
    await this.#instances.writeDeactivation(instance.id, person.id, deactivated ? this.#clock() : null);
    await this.#record(instance.id, actor, "person_standing_changed", { email: person.email, deactivated });
  }

  #record(instanceId: number, actor: string, event: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#audit.append({ instanceId, at: this.#clock(), actor, event, detail });
  }
}

/** An issuer that serves the whole world signs in the whole world, unless a claim says which organisation is meant. */
function requireSafeIssuer({ issuer, requiredClaims }: SingleSignOnOrder): void {
  const isLoopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(issuer);
  if (!URL.canParse(issuer) || !(issuer.startsWith("https://") || isLoopback)) {
    throw new AdministrationRefused("The SSO's issuer is its https URL, exactly as its discovery document spells it");
  }
  if (/^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers)(\/|$)/.test(issuer)) {
    throw new AdministrationRefused(
      "This issuer serves every organisation: use https://login.microsoftonline.com/<tenant id>/v2.0",
    );
  }
  if (new URL(issuer).hostname === "accounts.google.com" && requiredClaims["hd"] === undefined) {
    throw new AdministrationRefused(
      "Google signs in everybody: require your organisation's domain with the claim hd=<domain>",
    );
  }
}
