import type { JWK } from "jose";

/** What the bench wants made. */
export interface SetupRequest {
  /** The statements of schema.sql. */
  readonly schema: readonly string[];
  /** Where requests come in. */
  readonly origin: string;
  readonly instance: string;
  readonly email: string;
  /** How many more tokens of the same grant. */
  readonly poolSize: number;
  readonly external: {
    readonly issuer: string;
    readonly jwksUri: string;
    readonly clientId: string;
    readonly audience: string;
  };
  /** How many people have an account at the issuer, linked to them: {@link accountOf} names them. None unless it is said. */
  readonly accounts?: number;
  /** Whether its people sign in there too. */
  readonly signsIn?: true;
  /** How many codes that nobody has redeemed, and how many refresh tokens; none unless it is said. */
  readonly tokenRequests?: number;
}

/** The subject of an account at the issuer. */
export function accountOf(number: number): string {
  return `account-${number}`;
}

/** The email of the person whose account it is. */
export function emailOf(account: string): string {
  return `${account}@acme.example`;
}

/** The tokens that the service itself issued. */
export interface IssuedTokens {
  readonly own: string;
  readonly ownPool: readonly string[];
  readonly ownJwk: JWK;
  readonly serviceIssued: string;
  /** A pipeline's. */
  readonly indexing: string;
  /** The forms that the token endpoint takes, each once, in this order. */
  readonly redemptions: readonly Readonly<Record<string, string>>[];
  readonly refreshes: readonly Readonly<Record<string, string>>[];
}

/** What a resource server without a gate verifies tokens by. */
export interface VerificationSettings {
  readonly publicJwk: JWK;
  readonly issuer: string;
  readonly audience: string;
}

/** What an isolate did besides computing, since it started. */
export interface Operations {
  /** Renewals of the policy snapshot: one batch each, behind an answer. */
  renewals: number;
  /** Everything else that went to D1 or KV. */
  storage: number;
  /** Requests to other servers. */
  fetches: number;
  /** Signatures verified. */
  verifications: number;
  /** Calls of the documents' objects, and the rows that these read and wrote. */
  objectCalls: number;
  rowsRead: number;
  rowsWritten: number;
}

/** What the loaded Worker is asked by its side door; without a question it answers {@link Operations}. */
export type LoadedQuestion = { readonly act: "count rows" } | { readonly act: "run trigger"; readonly cron: string };

/** How many rows each table of D1 has. */
export type TableRows = Readonly<Record<string, number>>;

/** The tasks that failed when the hourly trigger ran last. */
export interface TriggerRun {
  readonly failed: readonly string[];
}
