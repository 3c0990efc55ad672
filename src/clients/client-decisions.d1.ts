import type { AuditEntry } from "#audit/audit.ts";
import type { AuditEvent } from "#audit/audit-events.ts";
import { recordIfChanged } from "#audit/audit-entry.sql.ts";
import { changesOf, runBatch } from "#platform/d1.ts";
import { type ClientChanges, type ClientDecisions, MADE_PER_INSTANCE, type ClientVersion } from "./client-decisions.ts";
import { type ClientProof, proofOfKeys } from "./client-proof.ts";
import { INSERT_CLIENT, laterThanBefore, valuesOf } from "./client-rows.sql.ts";
import { deleteClient, type EndGrantsOfClient } from "./client-removal.sql.ts";
import type { NewClient } from "./new-client.ts";

/** Decisions about clients: their conditions are in the WHERE clauses, and their audit entries in the same batches. */
export class D1ClientDecisions implements ClientDecisions {
  readonly #database: D1Database;
  readonly #endGrants: EndGrantsOfClient;

  constructor(database: D1Database, endGrantsOfClient: EndGrantsOfClient) {
    this.#database = database;
    this.#endGrants = endGrantsOfClient;
  }

  create(instanceId: number, client: NewClient, entry: AuditEntry<"client_created">): Promise<boolean> {
    const creation = this.#database
      .prepare(`${INSERT_CLIENT} WHERE (SELECT count(*) FROM clients WHERE instance_id = ?2 AND kind = 'static') < ?18`)
      .bind(...valuesOf(instanceId, client), MADE_PER_INSTANCE);
    return this.#decide(creation, entry);
  }

  async change(instanceId: number, seen: ClientVersion, changes: ClientChanges, entry: AuditEntry<"client_changed">) {
    const { name, redirectUris, scopes, keys } = changes;
    const change = this.#database
      .prepare(
        `UPDATE clients SET name = COALESCE(?5, name), redirect_uris = COALESCE(?6, redirect_uris),
           scopes = COALESCE(?7, scopes), keys = COALESCE(?8, keys), proof = COALESCE(?9, proof), ${laterThanBefore("?3")}
         WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL AND changed_at = ?4 AND kind <> 'document'
           AND (kind = 'static' OR (?7 IS NULL AND ?8 IS NULL))
           AND (token_endpoint_auth_method = 'private_key_jwt' OR ?8 IS NULL)`,
      )
      .bind(
        seen.id,
        instanceId,
        entry.at,
        seen.changedAt,
        name ?? null,
        redirectUris === undefined ? null : JSON.stringify(redirectUris),
        scopes === undefined ? null : JSON.stringify(scopes),
        keys === undefined ? null : JSON.stringify(keys),
        keys === undefined ? null : await proofOfKeys(keys),
      );
    return this.#decide(change, entry);
  }

  replaceSecret(instanceId: number, clientId: string, proof: ClientProof, entry: AuditEntry<"client_secret_rotated">) {
    const replacement = this.#database
      .prepare(
        `UPDATE clients SET proof = ?4, ${laterThanBefore("?3")} WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL
           AND token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post')`,
      )
      .bind(clientId, instanceId, entry.at, proof);
    return this.#decide(replacement, entry);
  }

  approve(instanceId: number, seen: ClientVersion, entry: AuditEntry<"client_approved">) {
    const approval = this.#database
      .prepare(
        `UPDATE clients SET is_pending = 0, caller = NULL, kept_at = ?3, ${laterThanBefore("?3")}
         WHERE id = ?1 AND instance_id = ?2 AND is_pending = 1 AND disabled_at IS NULL AND changed_at = ?4`,
      )
      .bind(seen.id, instanceId, entry.at, seen.changedAt);
    return this.#decide(approval, entry);
  }

  deny(instanceId: number, clientId: string, entry: AuditEntry<"client_denied">) {
    return this.#decide(this.#disabling(instanceId, clientId, entry.at, "is_pending = 1"), entry);
  }

  disable(instanceId: number, clientId: string, entry: AuditEntry<"client_disabled">) {
    return this.#decide(this.#disabling(instanceId, clientId, entry.at, "TRUE"), entry);
  }

  enable(instanceId: number, clientId: string, entry: AuditEntry<"client_enabled">) {
    const enabling = this.#database
      .prepare(
        `UPDATE clients SET disabled_at = NULL, ${laterThanBefore("?3")}
         WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NOT NULL`,
      )
      .bind(clientId, instanceId, entry.at);
    return this.#decide(enabling, entry);
  }

  async remove(instanceId: number, clientId: string, entry: AuditEntry<"client_removed">): Promise<boolean> {
    const ending = this.#endGrants(instanceId, clientId, entry.actor, entry.at);
    const removal = deleteClient(this.#database, instanceId, clientId);
    const results = await runBatch(this.#database, [...ending, removal, recordIfChanged(this.#database, entry)]);
    return changesOf(results, ending.length) > 0;
  }

  #disabling(instanceId: number, clientId: string, now: number, condition: string): D1PreparedStatement {
    return this.#database
      .prepare(
        `UPDATE clients SET disabled_at = ?3, ${laterThanBefore("?3")}
         WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL AND ${condition}`,
      )
      .bind(clientId, instanceId, now);
  }

  async #decide<Event extends AuditEvent>(decision: D1PreparedStatement, entry: AuditEntry<Event>): Promise<boolean> {
    return changesOf(await runBatch(this.#database, [decision, recordIfChanged(this.#database, entry)]), 0) > 0;
  }
}
