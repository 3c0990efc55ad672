import { epochSeconds, isoTime } from "#platform/clock.ts";
import type { D1ServiceTokens } from "#service-tokens/service-tokens.d1.ts";
import { hashToken, randomId } from "#crypto/secrets.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { SUPERSEDED_SECONDS } from "#service-tokens/rotate-token.ts";
import { areWithinNetworks } from "#service-tokens/networks.ts";
import { makeServiceToken } from "#service-tokens/service-token.ts";
import { readDraft, type TokenDraft } from "#service-tokens/token-draft.ts";
import { type IssuedToken, ORIGINS_MAX, TOKENS_PER_INSTANCE } from "#service-tokens/token-listing.ts";
import { Acts } from "./acts.ts";

/** The parts of a token that its creator can give only within their own authority. */
type Givable = Pick<IssuedToken, "kind" | "scopes" | "expiresAt" | "networks">;

/** Decisions about service-issued tokens. No token has a right that its creator lacks. */
export class ServiceTokenActs extends Acts<{ readonly store: D1ServiceTokens }> {
  /**
   * Issues a token. If the person that it names is unknown, they are created with the token, but not if the token is refused.
   *
   * @param newPerson whether the person may be unknown: a mistyped address would get a token that finds nothing
   * @returns the token and its secret, which is shown only this once
   * @throws {AdministrationRefused} as `readDraft` does, for a deactivated person, and if the token would exceed the creator's
   *   Admin API scopes, expiry or networks
   */
  async issue(draft: TokenDraft, newPerson = false): Promise<{ token: IssuedToken; secret: string }> {
    const { lifetimeSeconds, ...accepted } = readDraft(draft);
    const createdAt = epochSeconds();
    const token: IssuedToken = {
      ...accepted,
      id: randomId(),
      createdAt,
      expiresAt: lifetimeSeconds === null ? null : createdAt + lifetimeSeconds,
    };
    this.#requireWithinAuthority(token);
    const secret = await makeServiceToken(token.kind);
    const { id, kind, name, scopes, networks, expiresAt, person } = token;
    const detail = { id, kind, name, scopes, networks, expiresAt, ...(person === null ? {} : { person }) };
    const entry = this.entry("service_token_issued", detail);
    const personId = newPerson ? randomId() : null;
    const addition = await this.parts.store.add(token, await hashToken(secret), personId, this.by.authority, entry);
    if (addition === "full") {
      throw new AdministrationRefused(
        `There are ${TOKENS_PER_INSTANCE} tokens already: revoke unused ones; they are deleted 90 days later`,
      );
    }
    if (addition === "deactivated") {
      throw new AdministrationRefused(`${person} is deactivated: reactivate them first`, "person");
    }
    if (addition === "unknown") {
      throw new AdministrationRefused(
        `Nobody has signed in as ${person} yet: check the address, or say that you mean a new person`,
        "newPerson",
      );
    }
    if (addition === "issuer-ended") throw new AdministrationRefused("Your access has ended");
    await this.concluded(true);
    return { token, secret };
  }

  /**
   * Gives a token a new, random secret. A pipeline's own rotation always lets the old secret work for a while; this can end it at once.
   *
   * @param endsOthersNow whether the old secrets end at once instead of after {@link SUPERSEDED_SECONDS}
   * @returns the secret, which is shown only this once
   * @throws {AdministrationRefused} if there is no such active token, or if it exceeds what the actor may give
   */
  async rotate(tokenId: string, endsOthersNow: boolean): Promise<string> {
    const token = await this.parts.store.find(this.instance.id, tokenId);
    if (token !== null) this.#requireWithinAuthority(token);
    // Zero rather than now, because this clock may be ahead.
    const othersEndAt = endsOthersNow ? 0 : epochSeconds() + SUPERSEDED_SECONDS;
    const secret = await makeServiceToken(token?.kind ?? "indexing");
    const entry = this.entry("service_token_rotated", {
      id: tokenId,
      endedOthersNow: endsOthersNow,
    });
    const isReplaced = await this.parts.store.replaceSecret(
      tokenId,
      await hashToken(secret),
      othersEndAt,
      this.by.authority,
      entry,
    );
    if (!isReplaced) {
      throw new AdministrationRefused(`There is no active token ${tokenId}; ended tokens can't get a new secret`);
    }
    await this.concluded(true);
    return secret;
  }

  /**
   * Revokes a token and the admin tokens that it issued, within the age of a policy snapshot.
   *
   * @returns whether there was such a token, not yet revoked
   */
  async revoke(tokenId: string): Promise<boolean> {
    const entry = this.entry("service_token_revoked", { id: tokenId });
    return this.concluded(await this.parts.store.revoke(tokenId, entry));
  }

  /**
   * Requires that a token doesn't exceed the actor's authority. A token's scopes, expiry and networks never change, so they are
   * still the same when the secret is written.
   */
  #requireWithinAuthority({ kind, scopes, expiresAt, networks }: Givable): void {
    const own = this.by.authority;
    const more = kind === "admin" ? scopes.filter((scope) => !own.scopes.has(scope)) : [];
    if (more.length > 0) {
      throw new AdministrationRefused(
        `You can give only scopes that you have, and you lack ${more.join(", ")}`,
        "scopes",
      );
    }
    if (kind === "admin" && (own.secret?.origins ?? 0) >= ORIGINS_MAX) {
      throw new AdministrationRefused(
        `Your token descends from ${ORIGINS_MAX} others, each issued through the one before: use one of these, or the console`,
      );
    }
    if (own.expiresAt !== null && (expiresAt ?? Infinity) > own.expiresAt) {
      throw new AdministrationRefused(
        `Your token expires at ${isoTime(own.expiresAt)}: a token that you issue or rotate cannot expire later`,
        "lifetimeSeconds",
      );
    }
    if (!areWithinNetworks(networks, own.networks)) {
      throw new AdministrationRefused(
        `Your token works only from ${own.networks.join(", ")}: a token that you issue or rotate needs networks within these`,
        "networks",
      );
    }
  }
}
