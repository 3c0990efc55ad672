import type { ClientCredentials } from "#clients/client-proof.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { ObservedGrant, TokenGrant } from "./grant.ts";
import type { Observation } from "./token-grants.ts";

/** What asks for a grant, by its client. */
interface Claim {
  readonly credentials: ClientCredentials;
}

/** A grant that a statement changed. */
export interface TokenRow {
  /** A {@link TokenGrant} as JSON. */
  readonly token_grant: string;
}

/** What an observation gives. */
export interface ObservationRow {
  readonly is_authentic: number;
  readonly is_client_proven: number | null;
  /** `null` where the client has no such grant, or was deleted. */
  readonly token_grant: string | null;
  /** A {@link GrantStateJson}. */
  readonly grant_state: string;
}

/** The requirements of a client stand in two lists: what administrators ask of it, and what it says itself. */
type GrantStateJson = Omit<ObservedGrant, keyof TokenGrant | "clientRequirements"> & {
  readonly clientRequirements: readonly (readonly AppRequirement[])[];
};

export function toTokenGrant(row: TokenRow): TokenGrant {
  return JSON.parse(row.token_grant) as TokenGrant;
}

/** A client that has authenticated itself for a grant is who it says only when it does so again. */
export function toObservation(row: ObservationRow | null | undefined, { credentials }: Claim): Observation {
  const clientAuthenticated = row?.is_authentic === 1;
  // A client that was deleted has nothing any more, though its grants' rows are still there.
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
