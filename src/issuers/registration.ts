import type { AuditEntry } from "#audit/audit.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type ExternalIssuer, parseExternalIssuer } from "./external-issuer.ts";
import type { IssuerDraft } from "./configuration-rules.ts";

/** Every instance's snapshot carries its issuers, and an organisation has few. */
export const ISSUERS_MAX = 20;

/** An issuer as it is stored. */
export interface StoredIssuer {
  readonly configuration: unknown;
  /** The configuration to the letter. */
  readonly text: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly disabledAt: number | null;
}

export interface IssuerReader {
  find(instanceId: number, issuer: string): Promise<StoredIssuer | null>;
  list(instanceId: number): Promise<StoredIssuer[]>;
}

/** Writes what was decided about an issuer, with its audit entry, in one transaction. @returns whether it changed anything */
export interface IssuerWriter {
  /** Adds an issuer; not one that is there, and not where the instance would have more than `issuersMax`. */
  add(
    instanceId: number,
    configuration: ExternalIssuer,
    issuersMax: number,
    entry: AuditEntry<"external_issuer_registered">,
  ): Promise<boolean>;
  /** Replaces the configuration where it is still `seen`; the issuer stays enabled or disabled as it was. */
  replace(
    instanceId: number,
    configuration: ExternalIssuer,
    seen: StoredIssuer,
    entry: AuditEntry<"external_issuer_changed">,
  ): Promise<boolean>;
  /** Disables it, and removes the groups that it gave to people. */
  disable(instanceId: number, issuer: string, entry: AuditEntry<"external_issuer_disabled">): Promise<boolean>;
  enable(instanceId: number, issuer: string, entry: AuditEntry<"external_issuer_enabled">): Promise<boolean>;
  /** Forgets it, and its own groups; accounts stay linked, so that nobody comes back as somebody else. */
  remove(instanceId: number, issuer: string, entry: AuditEntry<"external_issuer_removed">): Promise<boolean>;
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

/** The registered issuers of instances. */
export class IssuerDirectory {
  readonly #reader: IssuerReader;

  constructor(reader: IssuerReader) {
    this.#reader = reader;
  }

  async list(instanceId: number): Promise<RegisteredIssuer[]> {
    return (await this.#reader.list(instanceId)).map(toRegistered);
  }

  /** @throws {AdministrationRefused} when it is not registered */
  async require(instance: { readonly id: number; readonly name: string }, issuer: string): Promise<RegisteredIssuer> {
    const stored = await this.#reader.find(instance.id, issuer);
    if (stored) return toRegistered(stored);
    const known = (await this.list(instance.id)).map(({ configuration }) => configuration.issuer);
    const nearest = known.find((each) => withoutSlash(each) === withoutSlash(issuer));
    throw new AdministrationRefused(
      `${instance.name} has no issuer ${issuer}${nearest === undefined ? "" : `; it has ${nearest}`}`,
    );
  }
}

/** As administrators see what is stored. */
export function toRegistered({ configuration, createdAt, changedAt, disabledAt }: StoredIssuer): RegisteredIssuer {
  return { configuration: parseExternalIssuer(configuration), createdAt, changedAt, isDisabled: disabledAt !== null };
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "").toLowerCase();
}
