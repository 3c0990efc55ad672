import type { AuditEntry } from "#audit/audit.ts";
import type { TokenHash } from "#crypto/hash.ts";
import type { ServiceTokenKind } from "./service-token.ts";
import type { ServiceToken } from "./service-tokens.ts";

/** A token that was just issued. */
export interface IssuedToken {
  readonly id: string;
  readonly kind: ServiceTokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  /** The email of the person whom it acts for. */
  readonly person: string | null;
  readonly networks: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** A token as administrators see it. */
export interface TokenListing extends Omit<ServiceToken, "secretExpiresAt"> {
  readonly name: string;
  readonly createdAt: number;
  readonly personEmail: string | null;
}

/** Which tokens are asked for: those that work, or those that have expired or were revoked. */
export type TokenState = "running" | "ended";

export interface TokenReader {
  /**
   * Tokens whose name or person holds a text, newest first.
   *
   * @param before where the page goes on; `null` at the first
   */
  page(
    instanceId: number,
    state: TokenState,
    search: string,
    before: { readonly createdAt: number; readonly id: string } | null,
    limit: number,
    now: number,
  ): Promise<{ readonly tokens: readonly TokenListing[]; readonly found: number }>;
  find(instanceId: number, tokenId: string): Promise<TokenListing | null>;
}

/** Writes what was decided about a token, with its audit entry, in one transaction. */
export interface TokenWriter {
  /**
   * Writes a token and its first secret, or neither.
   *
   * @param newPersonId whose id the person gets who is not known yet
   * @returns `false` where the person is deactivated
   */
  add(
    instanceId: number,
    token: IssuedToken,
    hash: TokenHash,
    newPersonId: string,
    entry: AuditEntry<"service_token_issued">,
  ): Promise<boolean>;
  /**
   * Gives a running token another secret; those that it has end then at the latest.
   *
   * @returns whether there was such a token
   */
  replaceSecret(
    instanceId: number,
    tokenId: string,
    hash: TokenHash,
    othersEndAt: number,
    entry: AuditEntry<"service_token_rotated">,
  ): Promise<boolean>;
  /** @returns whether there was such a token, not yet revoked */
  revoke(instanceId: number, tokenId: string, entry: AuditEntry<"service_token_revoked">): Promise<boolean>;
}
