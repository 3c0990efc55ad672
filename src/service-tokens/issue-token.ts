import type { AuditTrail } from "#audit/audit.ts";
import { hashToken, type TokenHash } from "#crypto/hash.ts";
import { randomId } from "#crypto/random.ts";
import type { Clock } from "#platform/clock.ts";
import { SUPERSEDED_SECONDS } from "./rotate-token.ts";
import { makeServiceToken, type ServiceTokenKind } from "./service-token.ts";
import type { ServiceToken } from "./service-tokens.ts";
import { orderedName, orderedNetworks, orderedScopes, type TokenOrder } from "./token-order.ts";

export interface IssuedToken {
  readonly id: string;
  readonly kind: ServiceTokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly personId: string | null;
  readonly networks: readonly string[];
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

export interface TokenListing extends Omit<ServiceToken, "secretExpiresAt"> {
  readonly name: string;
  readonly personEmail: string | null;
}

export interface ServiceTokenRegistry {
  /** Writes a token and its first secret, or neither. */
  add(instanceId: number, token: IssuedToken, hash: TokenHash): Promise<void>;
  list(instanceId: number): Promise<TokenListing[]>;
  /**
   * Gives a running token another secret; those that it has end then at the latest.
   *
   * @returns whether there was such a token
   */
  replaceSecret(
    instanceId: number,
    tokenId: string,
    hash: TokenHash,
    now: number,
    othersEndAt: number,
  ): Promise<boolean>;
  revoke(instanceId: number, tokenId: string, now: number): Promise<boolean>;
}

/** Issues, rotates and revokes service-issued tokens for administrators. */
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
      name: orderedName(order),
      scopes: orderedScopes(order),
      personId: order.personId,
      networks: orderedNetworks(order),
      createdAt,
      expiresAt: order.lifetimeSeconds === null ? null : createdAt + order.lifetimeSeconds,
    };
    const secret = await makeServiceToken(order.kind);
    await this.#registry.add(instanceId, token, await hashToken(secret));
    const { id, kind, name, scopes, networks, expiresAt } = token;
    const detail = { id, kind, name, scopes, networks, expiresAt };
    await this.#audit.append({ instanceId, at: createdAt, actor, event: "service_token_issued", detail });
    return { token, secret };
  }

  list(instanceId: number): Promise<TokenListing[]> {
    return this.#registry.list(instanceId);
  }

  /**
   * Gives a token a new, random secret: unlike a pipeline's own rotation it shuts out whoever has the old one.
   *
   * @param endsOthersNow whether the old secrets end at once instead of after {@link SUPERSEDED_SECONDS}
   * @returns the secret, which is shown this once; `undefined` where there is no such running token
   */
  async rotate(
    instanceId: number,
    tokenId: string,
    endsOthersNow: boolean,
    actor: string,
  ): Promise<string | undefined> {
    const kind = (await this.#registry.list(instanceId)).find(({ id }) => id === tokenId)?.kind;
    if (!kind) return undefined;
    const at = this.#clock();
    // Long ago is now on every clock: this one, an administrator's, may be ahead.
    const othersEndAt = endsOthersNow ? 0 : at + SUPERSEDED_SECONDS;
    const secret = await makeServiceToken(kind);
    if (!(await this.#registry.replaceSecret(instanceId, tokenId, await hashToken(secret), at, othersEndAt))) {
      return undefined;
    }
    const detail = { id: tokenId, endedOthersNow: endsOthersNow };
    await this.#audit.append({ instanceId, at, actor, event: "service_token_rotated", detail });
    return secret;
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
