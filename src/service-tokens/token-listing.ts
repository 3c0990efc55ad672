import type { ListPage, ListQuery } from "#platform/listing.ts";
import { inBatches } from "#platform/sweep.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { TokenHash } from "#crypto/hash.ts";
import type { ServiceToken } from "./service-token.ts";

/** The facts about a token that depend on the presented secret. */
export type PresentedSecret = Pick<ServiceToken, "secretExpiresAt" | "secretHash" | "origins">;

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

export interface TokenReader {
  /** Lists tokens; `TOKEN_LIST` has the filters. */
  list(instanceId: number, query: ListQuery, now: number): Promise<ListPage<TokenListing>>;
  /** Returns the names of tokens, by id. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  find(instanceId: number, tokenId: string): Promise<TokenListing | null>;
  /** Returns the newest active tokens with any of some scopes, which are in lower case. */
  withScope(
    instanceId: number,
    scopes: readonly string[],
    limit: number,
    now: number,
  ): Promise<readonly TokenListing[]>;
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
const ENDED_LISTED_SECONDS = 90 * 24 * 3600;

/**
 * The result of adding a token. `full`: the instance has {@link TOKENS_PER_INSTANCE}. `deactivated`: its person is deactivated.
 * `issuer-ended`: an admin token's creator has just lost their own access.
 */
export type TokenAddition = "added" | "full" | "deactivated" | "issuer-ended";

interface EndedTokens {
  /** Deletes tokens that ended before a time, with their secrets, up to a limit. @returns how many */
  sweep(endedBefore: number, rowsMax: number): Promise<number>;
}

/** Deletes tokens that ended long ago. @returns how many */
export function sweepEndedTokens(tokens: EndedTokens, now: number): Promise<number> {
  return inBatches((rowsMax) => tokens.sweep(now - ENDED_LISTED_SECONDS, rowsMax));
}

/** Writes decisions about tokens, each with its audit entry in one transaction. */
export interface TokenWriter {
  /**
   * Writes a token and its first secret, or neither.
   *
   * @param newPersonId the id of the person, if they are not known yet
   * @param presented the secret with which a program acts; no admin token is written if this secret has ended in the meantime
   */
  add(
    instanceId: number,
    token: IssuedToken,
    hash: TokenHash,
    newPersonId: string,
    presented: TokenHash | null,
    entry: AuditEntry<"service_token_issued">,
  ): Promise<TokenAddition>;
  /**
   * Gives an active token another secret. Its other secrets end then, or earlier. The actor, who knows the new secret, becomes its
   * creator.
   *
   * @param presented the secret with which a program acts
   * @returns whether there was such a token, without scopes that the actor lacks by now
   */
  replaceSecret(
    instanceId: number,
    tokenId: string,
    hash: TokenHash,
    othersEndAt: number,
    presented: TokenHash | null,
    entry: AuditEntry<"service_token_rotated">,
  ): Promise<boolean>;
  /** Revokes a token and the admin tokens that descend from it. @returns whether there was one, not yet revoked */
  revoke(instanceId: number, tokenId: string, entry: AuditEntry<"service_token_revoked">): Promise<boolean>;
}
