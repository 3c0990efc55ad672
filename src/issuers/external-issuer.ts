import { schemasOf } from "#platform/described-members.ts";
import * as v from "valibot";
import { ISSUER_MEMBERS } from "./issuer-members.ts";

/** An identity provider whose tokens are accepted, and how they are read. */
export const externalIssuerSchema = v.object(schemasOf(ISSUER_MEMBERS));

export type ExternalIssuer = v.InferOutput<typeof externalIssuerSchema>;

/** Maximum issuers of an instance. They are all in the instance's snapshot, and an organisation has few. */
export const ISSUERS_MAX = 20;

/** An issuer as it is registered. */
export interface RegisteredIssuer {
  readonly configuration: ExternalIssuer;
  /** The exact stored text of the configuration. A change is written only if it is still the same. */
  readonly text: string;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly isDisabled: boolean;
}

/** Checks whether an issuer's access tokens are accepted at the Client API. */
export function givesAccessTokens({ accepts }: Pick<ExternalIssuer, "accepts">): boolean {
  return accepts !== "id-jags";
}

/** Checks whether an issuer's identity assertions are accepted at the token endpoint. */
export function givesIdJags({ accepts }: Pick<ExternalIssuer, "accepts">): boolean {
  return accepts !== "access-tokens";
}

/** Parses a stored issuer. Absent fields get their defaults. */
export function parseExternalIssuer(stored: unknown): ExternalIssuer {
  return v.parse(externalIssuerSchema, stored);
}
