import type { D1ExternalIssuers, StoredIssuer } from "./external-issuers.d1.ts";
import { ApiError } from "#protocol/errors.ts";
import { type ExternalIssuer, parseExternalIssuer } from "./external-issuer.ts";
import type { IssuerDraft } from "./configuration-rules.ts";

/** Maximum issuers of an instance. They are all in the instance's snapshot, and an organisation has few. */
export const ISSUERS_MAX = 20;

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
  readonly #reader: D1ExternalIssuers;

  constructor(reader: D1ExternalIssuers) {
    this.#reader = reader;
  }

  async list(instanceId: number): Promise<RegisteredIssuer[]> {
    return (await this.#reader.list(instanceId)).map(toRegistered);
  }

  /** Returns an issuer. @throws {ApiError} `not_found` if it is not registered */
  async require(instance: { readonly id: number; readonly name: string }, issuer: string): Promise<RegisteredIssuer> {
    const stored = await this.#reader.find(instance.id, issuer);
    if (stored) return toRegistered(stored);
    const known = (await this.list(instance.id)).map(({ configuration }) => configuration.issuer);
    const nearest = known.find((each) => withoutSlash(each) === withoutSlash(issuer));
    throw new ApiError("not_found", {
      reason: "external_issuer_unknown",
      description: `${instance.name} has no issuer ${issuer}${nearest === undefined ? "" : `; it has ${nearest}`}`,
    });
  }
}

/** Converts a stored issuer to what administrators see. */
export function toRegistered({ configuration, createdAt, changedAt, disabledAt }: StoredIssuer): RegisteredIssuer {
  return { configuration: parseExternalIssuer(configuration), createdAt, changedAt, isDisabled: disabledAt !== null };
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "").toLowerCase();
}
