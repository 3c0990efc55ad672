import type { ClientCredentials } from "#clients/client.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { ObservedGrant, TokenGrant } from "./grant.ts";
import type { Observation } from "./token-grants.ts";

/** A request about a grant, with the credentials of its client. */
interface Claim {
  readonly credentials: ClientCredentials;
}

/** A grant that a statement changed. */
export interface TokenRow {
  /** A {@link TokenGrant} as JSON. */
  readonly token_grant: string;
}

/** The row that an observation reads. */
export interface ObservationRow {
  readonly is_authentic: number;
  readonly is_client_proven: number | null;
  /** `null` if the client has no such grant, or was deleted. */
  readonly token_grant: string | null;
  /** A {@link GrantStateJson}. */
  readonly grant_state: string;
}

/** The requirements of a client are in two lists: what administrators require, and what it declares itself. */
type GrantStateJson = Omit<ObservedGrant, keyof TokenGrant | "clientRequirements"> & {
  readonly clientRequirements: readonly (readonly AppRequirement[])[];
};

export function toTokenGrant(row: TokenRow): TokenGrant {
  return JSON.parse(row.token_grant) as TokenGrant;
}

/** Converts a row. If the client has authenticated itself for this grant before, it counts as authentic only if it does so again. */
export function toObservation(row: ObservationRow | null | undefined, { credentials }: Claim): Observation {
  const clientAuthenticated = row?.is_authentic === 1;
  // A deleted client has no grants any more, although their rows still exist.
  if (!row || row.token_grant === null) return { clientAuthenticated, grant: null };
  const isDowngraded = row.is_client_proven === 1 && credentials.proof === null;
  const state = JSON.parse(row.grant_state) as GrantStateJson;
  const grant: ObservedGrant = {
    ...(JSON.parse(row.token_grant) as TokenGrant),
    ...state,
    clientRequirements: state.clientRequirements.flat(),
  };
  return { clientAuthenticated: clientAuthenticated && !isDowngraded, grant };
}
