import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { ClientKind } from "#clients/client.ts";

/** A running grant as administrators see it. */
export interface ListedGrant {
  readonly id: string;
  readonly personId: string;
  readonly personEmail: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scope: string;
  readonly createdAt: number;
  /** The last time that its code or a refresh gave tokens. */
  readonly lastTokensAt: number;
  readonly expiresAt: number;
  /** The issuer on whose assertion it rests; a service account's id where the account proved its own key; `null` where the person consented. */
  readonly assertedBy: string | null;
}

/** An app that a person allowed, or an identity provider for them: all of its running grants in one. */
export interface ConnectedApp {
  readonly clientId: string;
  readonly name: string;
  readonly kind: ClientKind;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly since: number;
  /** The last time that it got tokens. Between two of these a token may be used without a trace. */
  readonly lastTokensAt: number;
  /** Places where it is connected: each device or browser has a grant of its own. */
  readonly connections: number;
  /** The identity providers that asserted running grants, without asking the person. */
  readonly assertedBy: readonly string[];
  /** Whether the person consented to one of them. */
  readonly isConsented: boolean;
}

/** The people and clients with running grants, and how many grants these are. */
export interface Reach {
  readonly people: number;
  readonly clients: number;
  readonly grants: number;
}

/** The reach of apps that no administrator made. */
export interface UnvouchedReach {
  readonly people: number;
  readonly grants: number;
  /** Of those described by a document alone. */
  readonly documentPeople: number;
  readonly documentGrants: number;
}

/** Of which instance running grants are asked for, and what makes them running. */
export interface RunningGrants {
  readonly instanceId: number;
  /** The instance's `grantIdleSeconds`. */
  readonly idleSeconds: number;
  /** Seconds. */
  readonly now: number;
}

/** How far a grant has come. */
export interface GrantProgress {
  readonly id: string;
  readonly personEmail: string;
  readonly createdAt: number;
  readonly redeemedAt: number | null;
  readonly rotatedAt: number | null;
}

/** Finds and counts running grants. */
export interface GrantDirectory {
  /** Part of the list of running grants, as `GRANT_LIST` says. */
  list(among: RunningGrants, query: ListQuery): Promise<ListPage<ListedGrant>>;
  find(among: RunningGrants, grantId: string): Promise<ListedGrant | null>;
  /** Apps with a running grant of this person, the last used first. */
  appsOf(among: RunningGrants, personId: string): Promise<ConnectedApp[]>;
  /** @param clientId one client alone; `null` counts every client */
  reach(among: RunningGrants, clientId: string | null): Promise<Reach>;
  /** By client; those that nobody uses are not in it. */
  reachOfEach(among: RunningGrants, clientIds: readonly string[]): Promise<ReadonlyMap<string, Reach>>;
  unvouchedReach(among: RunningGrants): Promise<UnvouchedReach>;
  /** Grants by id, whether they run or have ended. */
  progressOf(instanceId: number, grantIds: readonly string[]): Promise<GrantProgress[]>;
}
