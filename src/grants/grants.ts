import type { ClientKind } from "#clients/client.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import type { Settings } from "#settings/settings.ts";

/** A running grant as administrators see it. */
export interface ListedGrant {
  readonly id: string;
  readonly personId: string;
  readonly personEmail: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly scope: string;
  readonly createdAt: number;
  /** When its code or a refresh last gave tokens. */
  readonly lastTokensAt: number;
  readonly expiresAt: number;
  /** The issuer whose assertion it rests on; a service account's id if the account proved its own key; `null` if the person consented. */
  readonly assertedBy: string | null;
}

/** An app that a person allowed, or an identity provider for them, with all of its running grants combined. */
export interface ConnectedApp {
  readonly clientId: string;
  readonly name: string;
  readonly kind: ClientKind;
  /** Whether an administrator created it, or approved it as it is. */
  readonly isApproved: boolean;
  /** The app that it is an install of. */
  readonly app: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly since: number;
  /** When it last got tokens. Between two of these times, a token may be used without a trace. */
  readonly lastTokensAt: number;
  /** The number of places where it is connected: each device or browser has its own grant. */
  readonly connections: number;
  /** The identity providers that asserted running grants, without asking the person. */
  readonly assertedBy: readonly string[];
  /** The names of apps whose tokens it exchanged for access of its own. */
  readonly passedOnBy: readonly string[];
  /** Whether the person consented to one of the running grants. */
  readonly isConsented: boolean;
}

/** How many people and clients have running grants, and how many grants these are. */
export interface Reach {
  readonly people: number;
  readonly clients: number;
  readonly grants: number;
}

/** The reach of apps that no administrator created. */
export interface UnvouchedReach {
  readonly people: number;
  readonly grants: number;
  /** Only of apps that a document describes. */
  readonly documentPeople: number;
  readonly documentGrants: number;
}

/** The instance whose grants are meant, with the setting that decides which ones are running. */
export interface GrantPolicy extends Pick<PolicySnapshot, "instanceId"> {
  readonly settings: Pick<Settings, "grantIdleSeconds">;
}

/** How far a grant has come. */
export interface GrantProgress {
  readonly id: string;
  readonly personEmail: string;
  readonly createdAt: number;
  readonly redeemedAt: number | null;
  readonly rotatedAt: number | null;
}
