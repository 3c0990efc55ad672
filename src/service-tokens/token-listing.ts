import type { ServiceToken } from "./service-token.ts";

/** The facts about a token that depend on the presented secret. */
type PresentedSecret = Pick<ServiceToken, "secretExpiresAt" | "secretHash" | "origins">;

/** A token as administrators see it. */
export interface TokenListing extends Omit<ServiceToken, keyof PresentedSecret> {
  readonly name: string;
  readonly createdAt: number;
  /** The id of the person or token that issued it, or last replaced its secret. */
  readonly createdBy: string;
  readonly personEmail: string | null;
}

/** A token that was just issued. */
export interface IssuedToken
  extends Pick<TokenListing, "id" | "kind" | "name" | "scopes" | "networks" | "createdAt" | "expiresAt"> {
  /** The email address of the person that it acts for. */
  readonly person: string | null;
}

/**
 * Maximum tokens of an instance: far more than an organisation's pipelines and people need. Ended tokens count as long as they are listed.
 */
export const TOKENS_PER_INSTANCE = 10_000;

/**
 * Maximum tokens that an admin token's secret descends from. Admin tokens can issue each other in a row, and each secret lists all
 * of its origins.
 */
export const ORIGINS_MAX = 10;

/** How long an ended token is listed. What happened to it stays in the audit. */
export const ENDED_LISTED_SECONDS = 90 * 24 * 3600;

/**
 * The result of adding a token. `full`: the instance has {@link TOKENS_PER_INSTANCE}. `deactivated`: its person is deactivated.
 * `unknown`: nobody has its person's address, and nobody was to be added.
 * `issuer-ended`: an admin token's creator has just lost their own access.
 */
export type TokenAddition = "added" | "full" | "deactivated" | "unknown" | "issuer-ended";
