import type { ListPage, ListQuery } from "#platform/listing.ts";
import { inBatches } from "#platform/sweep.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { TokenHash } from "#crypto/hash.ts";
import type { ServiceToken } from "./service-token.ts";

/** What is known of a token by the secret that was presented for it. */
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
  /** Part of the list of tokens, as `TOKEN_LIST` says. */
  list(instanceId: number, query: ListQuery, now: number): Promise<ListPage<TokenListing>>;
  /** The names of tokens, by id. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  find(instanceId: number, tokenId: string): Promise<TokenListing | null>;
  /** Running tokens that hold one of some scopes, named in lower case: the newest of them. */
  withScope(
    instanceId: number,
    scopes: readonly string[],
    limit: number,
    now: number,
  ): Promise<readonly TokenListing[]>;
}

/** Far beyond the pipelines and people of an organisation. Ended tokens count for as long as they are listed. */
export const TOKENS_PER_INSTANCE = 10_000;

/** Admin tokens can issue each other in a row. Each secret names all of those that it came of, so their number has a bound. */
export const ORIGINS_MAX = 10;

/** An ended token is listed this long; what happened to it stays in the audit. */
const ENDED_LISTED_SECONDS = 90 * 24 * 3600;

/** What became of a new token: `full`, where the instance has {@link TOKENS_PER_INSTANCE}; `deactivated`, where its person is; `issuer-ended`, where an admin token's creator has just lost their own access. */
export type TokenAddition = "added" | "full" | "deactivated" | "issuer-ended";

export interface EndedTokens {
  /** Deletes tokens that ended before a time, with their secrets, at most so many; how many. */
  sweep(endedBefore: number, rowsMax: number): Promise<number>;
}

/** Forgets tokens that ended long ago; how many. */
export function sweepEndedTokens(tokens: EndedTokens, now: number): Promise<number> {
  return inBatches((rowsMax) => tokens.sweep(now - ENDED_LISTED_SECONDS, rowsMax));
}

/** Writes what was decided about a token, with its audit entry, in one transaction. */
export interface TokenWriter {
  /**
   * Writes a token and its first secret, or neither.
   *
   * @param newPersonId whose id the person gets who is not known yet
   * @param presented the secret with which a program acts; it was not superseded for long, or an admin token is not written
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
   * Gives a running token another secret; those that it has end then at the latest. The actor, who knows the new secret,
   * becomes its creator.
   *
   * @param presented the secret with which a program acts
   * @returns whether there was such a token, with no scope that the actor lacks by now
   */
  replaceSecret(
    instanceId: number,
    tokenId: string,
    hash: TokenHash,
    othersEndAt: number,
    presented: TokenHash | null,
    entry: AuditEntry<"service_token_rotated">,
  ): Promise<boolean>;
  /** Ends a token and the admin tokens that came of it. @returns whether there was one, not yet revoked */
  revoke(instanceId: number, tokenId: string, entry: AuditEntry<"service_token_revoked">): Promise<boolean>;
}
