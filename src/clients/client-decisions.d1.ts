import type { AuditedDatabase } from "#audit/audited-database.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { recordEach } from "#audit/audit-entry.sql.ts";
import { runDecision } from "#audit/decision.sql.ts";
import { rowsOf, runBatch, type Statement } from "#platform/d1.ts";
import {
  type ClientChanges,
  type ClientDecision,
  type ClientVersion,
  type DecisionEvent,
  MADE_PER_INSTANCE,
} from "./client-decisions.ts";
import { isApp } from "./is-app.sql.ts";
import { type ClientProof, proofOfKeys } from "./client-proof.ts";
import { INSERT_CLIENT, laterThanBefore, valuesOf } from "./client-rows.sql.ts";
import type { EndGrantsOfClients, GrantsOfClient } from "./client-removal.sql.ts";
import type { NewClient } from "./new-client.ts";

/**
 * Decisions about clients in D1. Their conditions are in the WHERE clauses, and their audit entries in the same batches. `false`
 * means that the condition was not met, and that nothing was written.
 */
export class D1ClientDecisions {
  readonly #database: AuditedDatabase;
  readonly #endGrants: EndGrantsOfClients;

  constructor(database: AuditedDatabase, endGrantsOfClients: EndGrantsOfClients) {
    this.#database = database;
    this.#endGrants = endGrantsOfClients;
  }

  /** @param isNameNew whether its name must differ from those of all other clients that administrators created */
  create(
    instanceId: number,
    client: NewClient,
    isNameNew: boolean,
    entry: AuditEntry<"client_created">,
  ): Promise<boolean> {
    const creation = this.#database
      .prepare(
        `${INSERT_CLIENT} WHERE (SELECT count(*) < ?20 AND NOT (?21 AND COALESCE(max(name = ?4), 0))
           FROM clients WHERE instance_id = ?2 AND kind = 'static')`,
      )
      .bind(...valuesOf(instanceId, client), MADE_PER_INSTANCE, isNameNew ? 1 : 0);
    return runDecision(this.#database, creation, entry);
  }

  /** Changes an enabled client if it is still as it was seen. */
  async change(instanceId: number, seen: ClientVersion, changes: ClientChanges, entry: AuditEntry<"client_changed">) {
    const { name, redirectUris, scopes, keys, requirements } = changes;
    const change = this.#database
      .prepare(
        `UPDATE clients SET name = COALESCE(?5, name), redirect_uris = COALESCE(?6, redirect_uris),
           scopes = COALESCE(?7, scopes), requirements = COALESCE(?10, requirements), keys = COALESCE(?8, keys), proof = COALESCE(?9, proof), ${laterThanBefore("?3")}
         WHERE id = ?1 AND instance_id = ?2 AND ${isApp()} AND disabled_at IS NULL AND changed_at = ?4
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

  /** Replaces the secret of an enabled client that has one. */
  replaceSecret(instanceId: number, clientId: string, proof: ClientProof, entry: AuditEntry<"client_secret_rotated">) {
    const replacement = this.#database
      .prepare(
        `UPDATE clients SET proof = ?4, ${laterThanBefore("?3")}
         WHERE id = ?1 AND instance_id = ?2 AND ${isApp()} AND disabled_at IS NULL
           AND token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post')`,
      )
      .bind(clientId, instanceId, entry.at, proof);
    return runDecision(this.#database, replacement, entry);
  }

  /**
   * Carries out decisions that one administrator makes at one time, about one client each, in one transaction and with the same
   * number of statements for fifty clients as for one. A pending client is approved only if it is still as it was seen; a deleted
   * one loses its grants.
   *
   * @returns the ids of the clients whose decision's condition was met
   */
  async decide(decisions: readonly ClientDecision[]): Promise<ReadonlySet<string>> {
    const byEvent = Map.groupBy(decisions, ({ entry }) => entry.event);
    const statements = [...byEvent.values()].flatMap((alike) => this.#statementsOf(alike));
    const results = await runBatch(this.#database, statements);
    return new Set(results.flatMap((_, at) => rowsOf<{ id: string }>(results, at).map(({ id }) => id)));
  }

  /** Returns the statements of decisions of one kind. Only the decisions' own statement returns rows: the clients that it changed. */
  #statementsOf(decisions: readonly ClientDecision[]): readonly Statement[] {
    const [first] = decisions;
    if (!first) return [];
    const { instanceId, at, actor, event } = first.entry;
    const versions = new Map(decisions.map(({ entry, changedAt = 0 }) => [entry.detail.clientId, changedAt]));
    const values = [instanceId, JSON.stringify([...versions])];
    const { condition, set } = EFFECTS[event];
    const chosen = `instance_id = ?1 AND id IN (SELECT value ->> 0 FROM json_each(?2)) AND ${isApp()} AND ${condition}`;
    const details = new Map(decisions.map(({ entry: { detail } }) => [detail.clientId, detail]));
    const entries = recordEach(this.#database, { instanceId, at, actor, event }, details, {
      sql: `SELECT id AS key FROM clients WHERE ${chosen}`,
      values,
    });
    const ending = (which: GrantsOfClient) => this.#endGrants(which, instanceId, [...versions.keys()], actor, at);
    if (set !== undefined) {
      const sql = `UPDATE clients SET ${set}, ${laterThanBefore("?3")} WHERE ${chosen} RETURNING id`;
      const decision = [entries, this.#database.prepare(sql).bind(...values, at)];
      return event === "client_disabled" || event === "client_denied" ? [...decision, ...ending("bound")] : decision;
    }
    return [
      ...ending("own"),
      ...ending("bound"),
      entries,
      this.#database.prepare(`DELETE FROM clients WHERE ${chosen} RETURNING id`).bind(...values),
    ];
  }
}

/**
 * The condition of each decision, and what it sets. Without `set`, the client is deleted. ?2 contains the ids, each with the
 * version that was seen.
 */
const EFFECTS: Readonly<Record<DecisionEvent, { readonly condition: string; readonly set?: string }>> = {
  client_approved: {
    condition:
      "disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static' AND (id, changed_at) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?2))",
    set: "is_pending = 0, caller = NULL, kept_at = ?3",
  },
  client_denied: { condition: "disabled_at IS NULL AND is_pending = 1", set: "disabled_at = ?3" },
  client_disabled: { condition: "disabled_at IS NULL", set: "disabled_at = ?3" },
  client_enabled: { condition: "disabled_at IS NOT NULL", set: "disabled_at = NULL" },
  client_removed: { condition: "TRUE" },
};
