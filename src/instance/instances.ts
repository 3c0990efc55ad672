import type { AuditEntry } from "#audit/audit.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { SingleSignOn } from "#settings/settings.ts";

export interface InstanceRecord {
  readonly id: number;
  readonly name: string;
  /** As stored: only what differs from the defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly singleSignOn: SingleSignOn | null;
  /** What is stored, to the letter: a change is written only where this is still so. */
  readonly stored: { readonly settings: string; readonly singleSignOn: string | null };
}

export interface InstanceReader {
  find(name: string): Promise<InstanceRecord | null>;
  list(): Promise<InstanceRecord[]>;
}

/** Writes what was decided, with its audit entry, in one transaction. */
export interface InstanceWriter {
  /** @returns `false` when the name is taken */
  create(name: string, now: number, actor: string): Promise<boolean>;
  /** @returns `false` where other settings are stored by now than `instance` was read with; nothing is written then */
  writeSettings(
    instance: InstanceRecord,
    settings: Readonly<Record<string, unknown>>,
    entry: AuditEntry<"settings_changed">,
  ): Promise<boolean>;
  /** @returns `false` where another connection is stored by now than `instance` was read with; nothing is written then */
  writeSingleSignOn(
    instance: InstanceRecord,
    singleSignOn: SingleSignOn,
    entry: AuditEntry<"single_sign_on_changed">,
  ): Promise<boolean>;
}

/** The instances of this deployment. */
export class Instances {
  readonly #reader: InstanceReader;

  constructor(reader: InstanceReader) {
    this.#reader = reader;
  }

  list(): Promise<InstanceRecord[]> {
    return this.#reader.list();
  }

  find(name: string): Promise<InstanceRecord | null> {
    return this.#reader.find(name);
  }

  /** @throws {AdministrationRefused} when there is no such instance */
  async require(name: string): Promise<InstanceRecord> {
    const instance = await this.#reader.find(name);
    if (instance) return instance;
    throw new AdministrationRefused(`There is no instance ${name}: create it with "instance create ${name}"`);
  }
}
