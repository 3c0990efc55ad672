import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { SingleSignOn } from "#settings/settings.ts";

export interface InstanceRecord {
  readonly id: number;
  readonly name: string;
  /** The stored settings: only those that differ from the defaults. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly singleSignOn: SingleSignOn | null;
  /** The exact stored texts. A change is written only if they are still the same. */
  readonly stored: { readonly settings: string; readonly singleSignOn: string | null };
}

export interface InstanceReader {
  find(name: string): Promise<InstanceRecord | null>;
  list(): Promise<InstanceRecord[]>;
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

  /** Returns an instance. @throws {AdministrationRefused} if there is none of this name */
  async require(name: string): Promise<InstanceRecord> {
    const instance = await this.#reader.find(name);
    if (instance) return instance;
    throw new AdministrationRefused(`There is no instance ${name}: create it with "instance create ${name}"`);
  }
}
