import type { AuditEntry } from "#audit/audit.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type ExternalIssuer, parseExternalIssuer } from "./external-issuer.ts";
import type { IssuerDraft } from "./configuration-rules.ts";

/** Maximum issuers of an instance. They are all in the instance's snapshot, and an organisation has few. */
export const ISSUERS_MAX = 20;

/** An issuer as it is stored. */
export interface StoredIssuer {
  readonly configuration: unknown;
  /** The exact stored text of the configuration. */
  readonly text: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly disabledAt: number | null;
}

export interface IssuerReader {
  find(instanceId: number, issuer: string): Promise<StoredIssuer | null>;
  list(instanceId: number): Promise<StoredIssuer[]>;
}

/**
 * Writes decisions about issuers, each with its audit entry in one transaction.
 *
 * @returns whether it changed anything
 */
export interface IssuerWriter {
  /** Adds an issuer, unless it exists already or the instance has `issuersMax` issuers. */
  add(
    instanceId: number,
    configuration: ExternalIssuer,
    issuersMax: number,
    entry: AuditEntry<"external_issuer_registered">,
  ): Promise<boolean>;
  /** Replaces the configuration if it is still `seen`. The issuer stays enabled or disabled. */
  replace(
    instanceId: number,
    configuration: ExternalIssuer,
    seen: StoredIssuer,
    entry: AuditEntry<"external_issuer_changed">,
  ): Promise<boolean>;
  /** Disables an issuer, and removes the groups that it gave to people. */
  disable(instanceId: number, issuer: string, entry: AuditEntry<"external_issuer_disabled">): Promise<boolean>;
  enable(instanceId: number, issuer: string, entry: AuditEntry<"external_issuer_enabled">): Promise<boolean>;
  /**
   * Removes an issuer, and the groups that it gave to people. Accounts stay linked, so that nobody comes back as somebody else.
   */
  remove(instanceId: number, issuer: string, entry: AuditEntry<"external_issuer_removed">): Promise<boolean>;
}

/** An issuer as administrators see it. */
export interface RegisteredIssuer {
  readonly configuration: ExternalIssuer;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly isDisabled: boolean;
}

/** The fields of an issuer that an administrator changes; `undefined` resets a field to its default. */
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

  /** Returns an issuer. @throws {AdministrationRefused} if it is not registered */
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

/** Converts a stored issuer to what administrators see. */
export function toRegistered({ configuration, createdAt, changedAt, disabledAt }: StoredIssuer): RegisteredIssuer {
  return { configuration: parseExternalIssuer(configuration), createdAt, changedAt, isDisabled: disabledAt !== null };
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "").toLowerCase();
}
