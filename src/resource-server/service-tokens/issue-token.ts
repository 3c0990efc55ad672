import type { AuditTrail } from "#audit/audit.ts";
import { hashToken, type TokenHash } from "#crypto/hash.ts";
import { randomId } from "#crypto/random.ts";
import type { Clock } from "#platform/clock.ts";
import { API_SCOPES, parseScope } from "#protocol/scopes.ts";
import { makeServiceToken, type ServiceTokenKind } from "./service-token.ts";
import type { ServiceToken } from "./service-tokens.ts";

/** A pipeline's token does not outlive the pipeline by more than this. */
const INDEXING_LIFETIME_SECONDS_MAX = 366 * 24 * 3600;

export interface IssuedToken {
  readonly id: string;
  readonly kind: ServiceTokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly personId: string | null;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface TokenListing extends ServiceToken {
  readonly name: string;
}

export interface ServiceTokenRegistry {
  add(instanceId: number, token: IssuedToken, hash: TokenHash): Promise<void>;
  list(instanceId: number): Promise<TokenListing[]>;
  revoke(instanceId: number, tokenId: string, now: number): Promise<boolean>;
}

/** A token cannot be issued as asked. The text tells the administrator what to change. */
export class TokenNotIssued extends Error {
  override readonly name = "TokenNotIssued";
}

export interface TokenOrder {
  readonly kind: ServiceTokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Whose, for the Client API kind. */
  readonly personId: string | null;
  readonly lifetimeSeconds: number | null;
}

/** Issues service-issued tokens to administrators. */
export class ServiceTokenIssuer {
  readonly #registry: ServiceTokenRegistry;
  readonly #audit: AuditTrail;
  readonly #clock: Clock;

  constructor(registry: ServiceTokenRegistry, audit: AuditTrail, clock: Clock) {
    this.#registry = registry;
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * @returns the token and its secret, which is shown this once
   * @throws {TokenNotIssued}
   */
  async issue(instanceId: number, order: TokenOrder, actor: string): Promise<{ token: IssuedToken; secret: string }> {
    const createdAt = this.#clock();
    const token: IssuedToken = {
      id: randomId(),
      kind: order.kind,
      name: order.name,
      scopes: order.kind === "indexing" ? indexingScopes(order) : clientApiScopes(order),
      personId: order.personId,
      createdAt,
      expiresAt: order.lifetimeSeconds === null ? null : createdAt + order.lifetimeSeconds,
    };
    const secret = await makeServiceToken(order.kind);
    await this.#registry.add(instanceId, token, await hashToken(secret));
    const { id, kind, name, scopes, expiresAt } = token;
    const detail = { id, kind, name, scopes, expiresAt };
    await this.#audit.append({ instanceId, at: createdAt, actor, event: "service_token_issued", detail });
    return { token, secret };
  }

  list(instanceId: number): Promise<TokenListing[]> {
    return this.#registry.list(instanceId);
  }

  /** @returns whether there was such a token, not yet revoked */
  async revoke(instanceId: number, tokenId: string, actor: string): Promise<boolean> {
    const at = this.#clock();
    const revoked = await this.#registry.revoke(instanceId, tokenId, at);
    if (revoked)
      await this.#audit.append({ instanceId, at, actor, event: "service_token_revoked", detail: { id: tokenId } });
    return revoked;
  }
}

function indexingScopes(order: TokenOrder): string[] {
  if (order.personId !== null)
    throw new TokenNotIssued("An indexing token belongs to a pipeline: leave the person out");
  if (order.lifetimeSeconds === null || order.lifetimeSeconds > INDEXING_LIFETIME_SECONDS_MAX) {
    throw new TokenNotIssued("An indexing token expires, after 366 days at the latest");
  }
  const metadata = order.scopes.filter((scope) => /^custommetadata:(global_scope|[A-Za-z0-9]{1,50})$/.test(scope));
  const documents = order.scopes.filter((scope) =>
    /^documents:(global_scope|[A-Za-z0-9][A-Za-z0-9_-]{0,49})$/.test(scope),
  );
  const isMetadataToken = metadata.length === 1 && documents.length === 0;
  const isDocumentToken = metadata.length === 0 && documents.length > 0;
  if ((!isMetadataToken && !isDocumentToken) || metadata.length + documents.length !== order.scopes.length) {
    throw new TokenNotIssued(
      "An indexing token has exactly one scope custommetadata:global_scope or custommetadata:<group>, " +
        "or scopes documents:<datasource> (or documents:global_scope)",
    );
  }
  return [...order.scopes];
}

function clientApiScopes(order: TokenOrder): string[] {
  if (order.personId === null) throw new TokenNotIssued("A Client API token acts for one person: name them by email");
  const scopes = order.scopes.map(parseScope);
  const isApiScope = (scope: (typeof scopes)[number]) => (API_SCOPES as readonly unknown[]).includes(scope);
  if (scopes.length === 0 || !scopes.every(isApiScope)) {
    throw new TokenNotIssued(`A Client API token has scopes out of ${API_SCOPES.join(", ")}`);
  }
  return scopes.filter((scope) => scope !== undefined);
}
