import type { JWK } from "jose";

/** What the setup Worker creates for the bench. */
export interface SetupRequest {
  /** The statements of schema.sql. */
  readonly schema: readonly string[];
  /** The origin that requests name. */
  readonly origin: string;
  readonly instance: string;
  readonly email: string;
  /** The number of additional tokens of the same grant. */
  readonly poolSize: number;
  readonly external: {
    readonly issuer: string;
    readonly jwksUri: string;
    readonly clientId: string;
    readonly audience: string;
  };
  /** The number of people with a linked account at the issuer, named by {@link accountOf}. None by default. */
  readonly accounts?: number;
  /** Whether the instance's people sign in there too. */
  readonly signsIn?: true;
  /** The number of unredeemed codes and of refresh tokens. None by default. */
  readonly tokenRequests?: number;
}

/** Returns the subject of an account at the issuer. */
export function accountOf(number: number): string {
  return `account-${number}`;
}

/** Returns the email of the person with this account. */
export function emailOf(account: string): string {
  return `${account}@acme.example`;
}

/** The tokens that Gatehouse issued. */
export interface IssuedTokens {
  readonly own: string;
  readonly ownPool: readonly string[];
  readonly ownJwk: JWK;
  readonly serviceIssued: string;
  /** The token of a pipeline. */
  readonly indexing: string;
  /** Forms for the token endpoint. Each works once, in this order. */
  readonly redemptions: TokenForms["redemptions"];
  readonly refreshes: TokenForms["refreshes"];
}

/** Forms for a token endpoint. */
export interface TokenForms {
  readonly redemptions: Record<string, string>[];
  readonly refreshes: Record<string, string>[];
}

/** The settings with which a resource server without a gate verifies tokens. */
export interface VerificationSettings {
  readonly publicJwk: JWK;
  readonly issuer: string;
  readonly audience: string;
}

/** What an isolate has done since its start, besides computing. */
export interface Operations {
  /** Renewals of the policy snapshot: one batch each, after a response. */
  renewals: number;
  /** All other calls of D1 or KV. */
  storage: number;
  /** Requests to other servers. */
  fetches: number;
  /** Verified signatures. */
  verifications: number;
  /** Calls of documents objects, and the rows that these read and wrote. */
  objectCalls: number;
  rowsRead: number;
  rowsWritten: number;
  /** Changed rows of the tables in which FTS5 keeps an index. No counter of the platform's API shows them. */
  shadowRows: number;
  /** Runs of objects' alarms, and how often one was set. */
  alarms: number;
  alarmsSet: number;
  /** Lines that the Worker logged. */
  lines: number;
}

/** What the control entrypoint of the loaded Worker accepts. Without a message it returns {@link Operations}. */
export type LoadedQuestion =
  | { readonly act: "count rows" }
  | { readonly act: "database bytes" }
  | { readonly act: "clean up" }
  | { readonly act: "run trigger"; readonly cron: string };

/** The number of rows of each table of D1. */
export type TableRows = Readonly<Record<string, number>>;

/** The rows of D1 that a trigger read and wrote, and why it failed, if it did. */
export interface TriggerRun {
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly failure?: string;
}
