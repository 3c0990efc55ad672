import type { AuditEntry } from "#audit/audit.ts";
import { recordIfChanged } from "#audit/audit-entry.sql.ts";
import { runDecision } from "#audit/decision.sql.ts";
import { changesOf, runBatch } from "#platform/d1.ts";
import {
  type ClientChanges,
  type ClientDecision,
  type ClientDecisions,
  type ClientVersion,
  MADE_PER_INSTANCE,
} from "./client-decisions.ts";
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
      .prepare(`${INSERT_CLIENT} WHERE (SELECT count(*) FROM clients WHERE instance_id = ?2 AND kind = 'static') < ?20`)
      .bind(...valuesOf(instanceId, client), MADE_PER_INSTANCE);
    return runDecision(this.#database, creation, entry);
  }

  async change(instanceId: number, seen: ClientVersion, changes: ClientChanges, entry: AuditEntry<"client_changed">) {
    const { name, redirectUris, scopes, keys, requirements } = changes;
    const change = this.#database
      .prepare(
        `UPDATE clients SET name = COALESCE(?5, name), redirect_uris = COALESCE(?6, redirect_uris),
           scopes = COALESCE(?7, scopes), requirements = COALESCE(?10, requirements), keys = COALESCE(?8, keys), proof = COALESCE(?9, proof), ${laterThanBefore("?3")}
         WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL AND changed_at = ?4
           AND (kind <> 'document' OR COALESCE(?5, ?6, ?7, ?8) IS NULL)
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
        requirements === undefined ? null : JSON.stringify(requirements),
      );
    return runDecision(this.#database, change, entry);
  }

  replaceSecret(instanceId: number, clientId: string, proof: ClientProof, entry: AuditEntry<"client_secret_rotated">) {
    const replacement = this.#database
      .prepare(
        `UPDATE clients SET proof = ?4, ${laterThanBefore("?3")} WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL
           AND token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post')`,
      )
      .bind(clientId, instanceId, entry.at, proof);
    return runDecision(this.#database, replacement, entry);
  }

  async decide(decisions: readonly ClientDecision[]): Promise<boolean[]> {
    const statements = decisions.map((decision) => this.#statementsOf(decision));
    const results = await runBatch(this.#database, statements.flat());
    let end = 0;
    return statements.map(({ length }) => {
      end += length;
      return changesOf(results, end - 2) > 0;
    });
  }

  /** The decision's own statement is the last but one. */
  #statementsOf({ entry, changedAt = 0 }: ClientDecision): D1PreparedStatement[] {
    const { instanceId, at, actor, detail, event } = entry;
    const update = (set: string, condition: string, ...values: number[]) =>
      this.#database
        .prepare(
          `UPDATE clients SET ${set}, ${laterThanBefore("?3")} WHERE id = ?1 AND instance_id = ?2 AND disabled_at ${condition}`,
        )
        .bind(detail.clientId, instanceId, at, ...values);
    const recorded = recordIfChanged(this.#database, entry);
    switch (event) {
      case "client_approved": {
        const approved = "is_pending = 0, caller = NULL, kept_at = ?3";
        return [update(approved, "IS NULL AND is_pending = 1 AND changed_at = ?4", changedAt), recorded];
      }
      case "client_denied":
        return [update("disabled_at = ?3", "IS NULL AND is_pending = 1"), recorded];
      case "client_disabled":
        return [update("disabled_at = ?3", "IS NULL"), recorded];
      case "client_enabled":
        return [update("disabled_at = NULL", "IS NOT NULL"), recorded];
      case "client_removed":
        break;
    }
    const removal = deleteClient(this.#database, instanceId, detail.clientId);
    return [...this.#endGrants(instanceId, detail.clientId, actor, at), removal, recorded];
  }
}
