import { asMembers, readerOf } from "#platform/columns.sql.ts";
import { AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import { endSupersededSecrets, endTokens, isAdminTokenIssued, REVOKE } from "#people/issued-tokens.sql.ts";
import { exceeds } from "#people/role.sql.ts";
import { addPerson } from "#people/new-person.sql.ts";
import type { TokenHash } from "#crypto/secrets.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { equals, holds, type Listing, readListing } from "#platform/listing.sql.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import { textsById } from "#platform/texts-by-id.sql.ts";
import { changesOf, rowsOf, runBatch } from "#platform/d1.ts";
import { type IssuedToken, type TokenAddition, type TokenListing, TOKENS_PER_INSTANCE } from "./token-listing.ts";
import type { TOKEN_LIST } from "./token-list.ts";
import type { ServiceToken } from "./service-token.ts";

/** A token, which ends with its person. */
type TokenOfPerson = Omit<ServiceToken, "secretHash"> & { readonly personDeactivatedAt: number | null };

const readToken = readerOf<TokenOfPerson>()(["scopes", "networks"]);

const readListed = readerOf<TokenListing>()(["scopes", "networks"]);

const COLUMNS = asMembers(
  "id, kind, scopes, person_id, networks, changed_at, expires_at, revoked_at, last_used_at",
  "t.",
);

const LISTED_COLUMNS = `${COLUMNS}, ${asMembers("name, created_at, created_by", "t.")}, p.email AS personEmail`;

const WITH_PERSON = "service_tokens t LEFT JOIN people p ON p.id = t.person_id";

const LISTED = `${LISTED_COLUMNS} FROM ${WITH_PERSON}`;

/** Returns the condition that a token is active. @param now the parameter of the time */
const works = (now: string) => `(t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ${now}))`;

const listingAt = (now: number): Listing<typeof TOKEN_LIST> => ({
  columns: LISTED_COLUMNS,
  from: WITH_PERSON,
  where: "t.instance_id = ?1",
  id: "t.id",
  search: holds("t.name", "p.email"),
  filters: {
    kind: equals("t.kind"),
    createdBy: equals("t.created_by"),
    state: (bind, value) => equals(`iif(${works(bind(now))}, 'running', 'ended')`)(bind, value),
  },
  sorts: {
    createdAt: "t.created_at",
    name: "lower(t.name)",
    expiresAt: "COALESCE(t.expires_at, 1e12)",
    lastUsedAt: "COALESCE(t.last_used_at, 0)",
  },
});

/** An active token of this instance: ?1 is its id, ?2 the instance, ?3 the time. */
const RUNNING = "id = ?1 AND instance_id = ?2 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?3)";

/** The parameters of the actor, the secret with which a program acts, and the time. */
interface Acting {
  readonly actor: string;
  readonly presented: string;
  readonly now: string;
}

/** Who acts: a program by its secret, or a person by their sign-in. A command by neither. */
interface ActingBy {
  readonly secret?: { readonly hash: TokenHash };
  readonly signedInAt?: number;
}

/** Returns SQL of the person, or the name of a command, behind an act. */
const holderOf = ({ actor, presented }: Acting) =>
  `coalesce((SELECT holder FROM service_token_secrets WHERE secret_hash = ${presented}), ${actor})`;

/**
 * Returns the condition that whoever is behind an act has the scopes of an admin token, and that the token and secret with which
 * they act have not ended.
 */
function mayHold(acting: Acting, scopes: string): string {
  const { actor, presented, now } = acting;
  return `(NOT EXISTS (SELECT 1 FROM people WHERE id = ${holderOf(acting)} AND ${exceeds(scopes, "role")})
    AND NOT EXISTS (SELECT 1 FROM service_tokens o WHERE o.id = ${actor} AND o.revoked_at IS NOT NULL)
    AND (${presented} IS NULL OR EXISTS (SELECT 1 FROM service_token_secrets
      WHERE secret_hash = ${presented} AND (expires_at IS NULL OR expires_at > ${now}))))`;
}

/**
 * Writes which tokens an admin token's new secret descends from: ?1 is its hash, ?2 the actor, ?3 the secret with which a program acts.
 */
const WRITE_ORIGINS = `INSERT INTO service_token_origins (secret_hash, origin)
  SELECT n.secret_hash, o.origin FROM service_token_secrets n JOIN service_tokens t ON t.id = n.token_id
    CROSS JOIN (SELECT origin FROM service_token_origins WHERE secret_hash = ?3
      UNION SELECT id FROM service_tokens WHERE id = ?2) o
  WHERE n.secret_hash = ?1 AND t.kind = 'admin' AND o.origin <> t.id`;

/** Service-issued tokens, and the hashes of their secrets. A copy of these tables gives no access. */
export class D1ServiceTokens extends AuditedStore {
  async findByHash(instanceId: number, hash: TokenHash): Promise<ServiceToken | null> {
    const token = await this.first(
      `SELECT ${COLUMNS}, p.deactivated_at AS personDeactivatedAt, s.expires_at AS secretExpiresAt,
         (SELECT count(*) FROM service_token_origins o WHERE o.secret_hash = s.secret_hash) AS origins
       FROM service_token_secrets s JOIN service_tokens t ON t.id = s.token_id LEFT JOIN people p ON p.id = t.person_id
       WHERE s.secret_hash = ?1 AND t.instance_id = ?2`,
      [hash, instanceId],
      readToken,
    );
    if (!token) return null;
    const { personDeactivatedAt, ...stored } = token;
    // A deactivated person's token counts as revoked. Deactivation and reactivation both change `changed_at`, so isolates read it again.
    return { ...stored, revokedAt: token.revokedAt ?? personDeactivatedAt, secretHash: hash };
  }

  /**
   * Writes a token and its first secret, or neither.
   *
   * The statement checks that the person is active and, for an admin token, that the creator's role allows it: somebody who is
   * deactivated in the meantime gets no token, and a token that is revoked in the meantime creates none.
   *
   * @param newPersonId the id of the person, if they are not known yet; `null`: nobody is added
   * No admin token is written if the secret with which a program acts has ended in the meantime.
   */
  async add(
    token: IssuedToken,
    hash: TokenHash,
    newPersonId: string | null,
    { secret, signedInAt }: ActingBy,
    entry: AuditEntry<"service_token_issued">,
  ): Promise<TokenAddition> {
    const acting = { actor: "?11", presented: "?12", now: "?8" };
    const { id, kind, name, scopes, person, networks, createdAt, expiresAt } = token;
    const presented = secret?.hash ?? null;
    const hasRoom = (instance: string, max: string) =>
      `(SELECT count(*) FROM service_tokens WHERE instance_id = ${instance}) < ${max}`;
    const results = await runBatch(this.database, [
      this.statement(
        addPerson(
          { id: "?2", instance_id: "?1", email: "?3", name: "?3", created_at: "?4" },
          `?2 IS NOT NULL AND ?3 IS NOT NULL AND ${hasRoom("?1", "?5")}`,
        ),
        [entry.instanceId, newPersonId, person, createdAt, TOKENS_PER_INSTANCE],
      ),
      this.statement(
        `INSERT INTO service_tokens
           (id, instance_id, kind, name, scopes, person_id, networks, created_at, changed_at, expires_at, created_by, signed_in_at)
         SELECT ?1, ?2, ?3, ?4, ?5,
           (SELECT id FROM people WHERE instance_id = ?2 AND email = ?6), ?7, ?8, ?8, ?9, ?11,
           iif(EXISTS (SELECT 1 FROM people WHERE id = ?11 AND instance_id = ?2 AND email = ?6), ?13, ?8)
         WHERE (?6 IS NULL OR EXISTS (
           SELECT 1 FROM people WHERE instance_id = ?2 AND email = ?6 AND deactivated_at IS NULL))
           AND (?3 <> 'admin' OR ${mayHold(acting, "?5")})
           AND ${hasRoom("?2", "?10")}`,
        [
          id,
          entry.instanceId,
          kind,
          name,
          JSON.stringify(scopes),
          person,
          JSON.stringify(networks),
          createdAt,
          expiresAt,
          TOKENS_PER_INSTANCE,
          entry.actor,
          presented,
          signedInAt ?? createdAt,
        ],
      ),
      recordIfChanged(this.database, entry),
      this.statement(
        `INSERT INTO service_token_secrets (secret_hash, token_id, holder, created_at)
         SELECT ?1, id, ${holderOf({ actor: "?4", presented: "?5", now: "?3" })}, ?3 FROM service_tokens WHERE id = ?2`,
        [hash, id, createdAt, entry.actor, presented],
      ),
      this.statement(WRITE_ORIGINS, [hash, entry.actor, presented]),
      this.statement(
        `SELECT count(*) AS tokens, EXISTS (SELECT 1 FROM people WHERE instance_id = ?1 AND email = ?2) AS isKnown
         FROM service_tokens WHERE instance_id = ?1`,
        [entry.instanceId, person],
      ),
    ]);
    if (changesOf(results, 1) > 0) return "added";
    const [{ tokens, isKnown } = { tokens: 0, isKnown: 0 }] = rowsOf<{ tokens: number; isKnown: number }>(results, 5);
    if (tokens >= TOKENS_PER_INSTANCE) return "full";
    return person === null ? "issuer-ended" : isKnown === 1 ? "deactivated" : "unknown";
  }

  /** Deletes tokens that ended before a time, with their secrets, up to a limit. Returns how many. */
  async sweep(endedBefore: number, rowsMax: number): Promise<number> {
    const ended = `SELECT id FROM service_tokens WHERE revoked_at < ?1 OR expires_at < ?1 ORDER BY id LIMIT ?2`;
    const results = await runBatch(this.database, [
      this.statement(`DELETE FROM service_token_secrets WHERE token_id IN (${ended})`, [endedBefore, rowsMax]),
      this.statement(`DELETE FROM service_tokens WHERE id IN (${ended})`, [endedBefore, rowsMax]),
    ]);
    return changesOf(results, 1);
  }

  async find(instanceId: number, tokenId: string): Promise<TokenListing | null> {
    return this.first(`SELECT ${LISTED} WHERE t.instance_id = ?1 AND t.id = ?2`, [instanceId, tokenId], readListed);
  }

  /** Lists tokens; `TOKEN_LIST` has the filters. */
  list(instanceId: number, query: ListQuery, now: number): Promise<ListPage<TokenListing>> {
    return readListing(this.database, listingAt(now), [instanceId], query, readListed);
  }

  /** Returns the names of tokens, by id. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return textsById(this.database, { table: "service_tokens", column: "name" }, instanceId, ids);
  }

  /** Returns the newest active tokens with any of some scopes, which are in lower case. */
  async withScope(instanceId: number, scopes: readonly string[], limit: number, now: number): Promise<TokenListing[]> {
    return this.all(
      `SELECT ${LISTED} WHERE t.instance_id = ?1 AND ${works("?2")}
         AND EXISTS (SELECT 1 FROM json_each(t.scopes) s WHERE lower(s.value) IN (SELECT value FROM json_each(?3)))
       ORDER BY t.created_at DESC, t.id DESC LIMIT ?4`,
      [instanceId, now, JSON.stringify(scopes), limit],
      readListed,
    );
  }

  /**
   * Gives an active token another secret. Its other secrets end then, or earlier. The actor, who knows the new secret, becomes its
   * creator.
   *
   * Superseded secrets keep an earlier end, and are deleted at the next rotation. The actor, who knows the new secret, becomes the
   * token's creator, unless the actor is the token itself.
   *
   * @returns whether there was such a token, without scopes that the actor lacks by now
   */
  async replaceSecret(
    tokenId: string,
    hash: TokenHash,
    othersEndAt: number,
    by: ActingBy,
    entry: AuditEntry<"service_token_rotated">,
  ): Promise<boolean> {
    const acting = { actor: "?4", presented: "?5", now: "?3" };
    const presented = by.secret?.hash ?? null;
    const prepare = (sql: string, ...more: readonly (string | number)[]) =>
      this.statement(sql, [tokenId, entry.instanceId, entry.at, entry.actor, presented, ...more]);
    const replaceable = `${RUNNING} AND (kind <> 'admin' OR ${mayHold(acting, "service_tokens.scopes")})`;
    const results = await runBatch(this.database, [
      prepare(
        `UPDATE service_tokens SET changed_at = max(?3, changed_at + 1), created_by = iif(?4 = id, created_by, ?4),
           signed_in_at = iif(person_id = ?4, min(signed_in_at, ?6), signed_in_at)
         WHERE ${replaceable}`,
        by.signedInAt ?? entry.at,
      ),
      recordIfChanged(this.database, entry),
      prepare(
        `DELETE FROM service_token_secrets
         WHERE expires_at <= ?3 AND token_id IN (SELECT id FROM service_tokens WHERE ${replaceable})`,
      ),
      // Insert this first: the presented secret, which it reads, may be one of those that end below.
      prepare(
        `INSERT INTO service_token_secrets (secret_hash, token_id, holder, created_at)
         SELECT ?6, id, ${holderOf(acting)}, ?3 FROM service_tokens WHERE ${replaceable}`,
        hash,
      ),
      this.statement(WRITE_ORIGINS, [hash, entry.actor, presented]),
      prepare(
        `UPDATE service_token_secrets SET expires_at = min(COALESCE(expires_at, ?6), ?6)
         WHERE secret_hash <> ?7 AND token_id IN (SELECT token_id FROM service_token_secrets WHERE secret_hash = ?7)`,
        othersEndAt,
        hash,
      ),
    ]);
    return changesOf(results, 0) > 0;
  }

  /** Revokes a token and the admin tokens that descend from it. @returns whether there was one, not yet revoked */
  async revoke(tokenId: string, entry: AuditEntry<"service_token_revoked">): Promise<boolean> {
    const ending = { ...entry, subject: tokenId };
    const revocation = this.statement(`${REVOKE} WHERE id = ?1 AND instance_id = ?2 AND revoked_at IS NULL`, [
      tokenId,
      entry.instanceId,
      entry.at,
    ]);
    return this.decide(revocation, entry, [
      ...endTokens(this.database, isAdminTokenIssued, ending),
      ...endSupersededSecrets(this.database, ending),
    ]);
  }

  /** Records a use, unless a later one is recorded already. */
  async recordUse(instanceId: number, tokenId: string, usedAt: number): Promise<void> {
    await this.run(
      `UPDATE service_tokens SET last_used_at = ?3
       WHERE id = ?1 AND instance_id = ?2 AND (last_used_at IS NULL OR last_used_at < ?3)`,
      [tokenId, instanceId, usedAt],
    );
  }
}
