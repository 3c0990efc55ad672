import type { AuditTrail } from "#audit/audit.ts";
import type { AuditDetails, AuditEvent } from "#audit/audit-events.ts";
import type { Keyring } from "#crypto/keyring.ts";
import { randomId } from "#crypto/random.ts";
import type { Clock } from "#platform/clock.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { opensAnApi } from "#protocol/scopes.ts";
import * as v from "valibot";
import { problemOfApprovals } from "#clients/approvals.ts";
import { isInstanceName } from "#platform/host-naming.ts";
import { objectionToIssuer } from "#issuers/safe-issuer.ts";
import {
  parseSettings,
  type Settings,
  type SingleSignOn,
  settingsSchema,
  singleSignOnPurpose,
} from "#settings/settings.ts";

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
  /** How many people sign in with an account of this issuer. */
  countPeopleOf(instanceId: number, issuer: string): Promise<number>;
  /** Makes sure that there is a person of this email; the one there is. */
  ensurePerson(instanceId: number, email: string, newPersonId: string, now: number): Promise<PersonRecord>;
  listPeople(instanceId: number): Promise<PersonRecord[]>;
  writeAdministrator(instanceId: number, personId: string, isAdministrator: boolean): Promise<void>;
  /** Unties a person from the SSO's subject: the next sign-in with their email takes the row over. */
  releaseIdentity(instanceId: number, personId: string): Promise<void>;
  writeDeactivation(instanceId: number, personId: string, deactivatedAt: number | null): Promise<void>;
}

/** How an instance is connected to its SSO, as an administrator gives it. */
export type SingleSignOnOrder = Omit<SingleSignOn, "sealedClientSecret"> & {
  /** Absent: the stored one is kept. */
  readonly clientSecret?: string | undefined;
};

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
    const settings = this.requireAcceptable(instance, changes);
    const next = { ...instance.settings, ...changes };
    await this.#instances.writeSettings(instance.id, next);
    const before = parseSettings(instance.settings);
    await this.#record(instance.id, actor, "settings_changed", {
      before: Object.fromEntries(Object.keys(changes).map((name) => [name, before[name as keyof Settings]])),
      after: changes,
    });
    return settings;
  }

  /**
   * What the settings would be, and whether they may: for a page that asks before it changes them.
   *
   * @throws {AdministrationRefused} for an unknown setting or a value out of bounds
   */
  requireAcceptable(instance: InstanceRecord, changes: Readonly<Record<string, unknown>>): Settings {
    const unknown = Object.keys(changes).find((name) => !(name in settingsSchema.entries));
    if (unknown !== undefined) {
      throw new AdministrationRefused(
        `There is no setting ${unknown}; there are ${Object.keys(settingsSchema.entries).join(", ")}`,
        unknown,
      );
    }
    const parsed = v.safeParse(settingsSchema, { ...instance.settings, ...changes });
    if (!parsed.success) {
      const [issue] = parsed.issues;
      const member = v.getDotPath(issue) ?? undefined;
      throw new AdministrationRefused(`${member ?? "The setting"} is not acceptable: ${issue.message}`, member);
    }
    requireSensible(parsed.output, Object.keys(changes));
    return parsed.output;
  }

  /** @throws {AdministrationRefused} as {@link requireConnection} does */
  async setSingleSignOn(instance: InstanceRecord, order: SingleSignOnOrder, actor: string): Promise<void> {
    this.requireConnection(instance, order);
    const { clientSecret, ...connection } = order;
    const { sealedClientSecret: kept, ...before } = instance.singleSignOn ?? {};
    const sealedClientSecret =
      clientSecret === undefined ? kept : await this.#keyring.seal(singleSignOnPurpose(instance.name), clientSecret);
    if (sealedClientSecret === undefined) throw new AdministrationRefused("Give the client secret", "clientSecret");
    await this.#instances.writeSingleSignOn(instance.id, { ...connection, sealedClientSecret });
    await this.#record(instance.id, actor, "single_sign_on_changed", {
      before: instance.singleSignOn === null ? null : before,
      after: connection,
      isSecretNew: clientSecret !== undefined,
    });
  }

  /**
   * Whether a connection to the SSO may be this one.
   *
   * A secret is kept for the client and issuer that it was given for: sent to another issuer, it would be told to somebody else.
   *
   * @throws {AdministrationRefused} when the issuer cannot be one or would let everybody in, or something is missing
   */
  requireConnection({ singleSignOn }: Pick<InstanceRecord, "singleSignOn">, order: SingleSignOnOrder): void {
    const objection = objectionToIssuer("The SSO's issuer", order);
    if (objection !== undefined) throw new AdministrationRefused(objection, "issuer");
    if (order.clientId === "") throw new AdministrationRefused("The SSO's client id is empty", "clientId");
    if (order.clientSecret === "") throw new AdministrationRefused("The SSO's client secret is empty", "clientSecret");
    const isKept = singleSignOn?.issuer === order.issuer && singleSignOn.clientId === order.clientId;
    if (order.clientSecret === undefined && !isKept) {
      throw new AdministrationRefused(
        "Give the client secret: there is none for this client at this issuer",
        "clientSecret",
      );
    }
    if (!order.scopes.split(" ").includes("openid")) {
      throw new AdministrationRefused("The scopes begin with openid: without it the SSO gives no ID token", "scopes");
    }
    for (const member of ["emailClaim", "groupsClaim"] as const) {
      if (order[member] === "") throw new AdministrationRefused("Name a claim", member);
    }
  }

  /** How many people are tied to accounts of an issuer: at another one, each of them is somebody new. */
  countPeopleOf(instance: InstanceRecord, issuer: string): Promise<number> {
    return this.#instances.countPeopleOf(instance.id, issuer);
  }

  /** The person of this email; someone who never signed in is made known, and takes the row over at the first sign-in. */
  async ensurePerson(instance: InstanceRecord, email: string): Promise<PersonRecord> {
    const address = parseEmailAddress(email);
    if (address === undefined) throw new AdministrationRefused(`${email} is not an email address`);
    return this.#instances.ensurePerson(instance.id, address, randomId(), this.#clock());
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

  #record<Event extends AuditEvent>(
    instanceId: number,
    actor: string,
    event: Event,
    detail: AuditDetails[Event],
  ): Promise<void> {
    return this.#audit.append({ instanceId, at: this.#clock(), actor, event, detail });
  }
}

/**
 * What a schema cannot say of settings. It holds for those that change: what is stored is never a reason to refuse another one.
 *
 * @throws {AdministrationRefused}
 */
function requireSensible(settings: Settings, changed: readonly string[]): void {
  const problem = changed.includes("approvedRedirectUris")
    ? problemOfApprovals(settings.approvedRedirectUris)
    : undefined;
  if (problem !== undefined) throw new AdministrationRefused(problem, "approvedRedirectUris");
  if (changed.includes("dynamicScopes") && !opensAnApi(settings.dynamicScopes)) {
    throw new AdministrationRefused(
      "Leave apps at least one of SEARCH, CHAT and DOCUMENTS; to let none register, switch registration off",
      "dynamicScopes",
    );
  }
}
