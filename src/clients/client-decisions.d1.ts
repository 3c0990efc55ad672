import { type AuditedDatabase, AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { changesOf, runBatch } from "#platform/d1.ts";
import { type ClientChanges, type ClientVersion, type DecisionEvent, MADE_PER_INSTANCE } from "./client-decisions.ts";
import { isApp } from "./is-app.sql.ts";
import { appOf, isCovered } from "./installs.sql.ts";
import { type ClientProof, type NewClient, proofOfKeys } from "./client.ts";
import { INSERT_CLIENT, laterThanBefore, valuesOf } from "./client-rows.sql.ts";
import type { EndGrantsOfClients, GrantsOfClient } from "./client-removal.sql.ts";

/**
 * Decisions about clients in D1. Their conditions are in the WHERE clauses, and their audit entries in the same batches. `false`
 * means that the condition was not met, and that nothing was written.
 */
export class D1ClientDecisions extends AuditedStore {
  readonly #endGrants: EndGrantsOfClients;

  constructor(database: AuditedDatabase, endGrantsOfClients: EndGrantsOfClients) {
    super(database);
    this.#endGrants = endGrantsOfClients;
  }

  /** @param isNameNew whether its name must differ from those of all other clients that administrators created */
  create(client: NewClient, isNameNew: boolean, entry: AuditEntry<"client_created">): Promise<boolean> {
    const creation = this.statement(
      `${INSERT_CLIENT} WHERE (SELECT count(*) < ?23 AND NOT (?24 AND COALESCE(max(name = ?4), 0))
       FROM clients WHERE instance_id = ?2 AND kind = 'static')`,
      [...valuesOf(entry.instanceId, client), MADE_PER_INSTANCE, isNameNew ? 1 : 0],
    );
    return this.decide(creation, entry);
  }

  /** Changes an enabled client if it is still as it was seen. Requirements are those of all installs of the app, disabled ones too. */
  async change(seen: ClientVersion, changes: ClientChanges, entry: AuditEntry<"client_changed">) {
    const { name, redirectUris, scopes, keys, requirements, mayExchangeTokens } = changes;
    const change = this.statement(
      `UPDATE clients SET name = COALESCE(?5, name), redirect_uris = COALESCE(?6, redirect_uris),
         scopes = COALESCE(?7, scopes), requirements = COALESCE(?10, requirements), may_exchange = COALESCE(?11, may_exchange), keys = COALESCE(?8, keys), proof = COALESCE(?9, proof), ${laterThanBefore("?3")}
       WHERE instance_id = ?2 AND app = (SELECT o.app FROM clients o WHERE o.id = ?1 AND o.instance_id = ?2 AND o.changed_at = ?4 AND o.disabled_at IS NULL)
         AND (id = ?1 OR COALESCE(?5, ?6, ?7, ?8) IS NULL) AND ${isApp()}
         AND (kind <> 'document' OR COALESCE(?5, ?6, ?7, ?8) IS NULL)
         AND (kind = 'static' OR COALESCE(?7, ?8, ?11) IS NULL)
         AND (token_endpoint_auth_method = 'private_key_jwt' OR ?8 IS NULL)`,
      [
        seen.id,
        entry.instanceId,
        entry.at,
        seen.changedAt,
        name ?? null,
        redirectUris === undefined ? null : JSON.stringify(redirectUris),
        scopes === undefined ? null : JSON.stringify(scopes),
        keys === undefined ? null : JSON.stringify(keys),
        keys === undefined ? null : await proofOfKeys(keys),
        requirements === undefined ? null : JSON.stringify(requirements),
        mayExchangeTokens === undefined ? null : Number(mayExchangeTokens),
      ],
    );
    return this.decide(change, entry);
  }

  /** Replaces the secret of an enabled client that has one. */
  replaceSecret(clientId: string, proof: ClientProof, entry: AuditEntry<"client_secret_rotated">) {
    const replacement = this.statement(
      `UPDATE clients SET proof = ?4, ${laterThanBefore("?3")}
       WHERE id = ?1 AND instance_id = ?2 AND kind = 'static' AND ${isApp()} AND disabled_at IS NULL
         AND token_endpoint_auth_method IN ('client_secret_basic', 'client_secret_post')`,
      [clientId, entry.instanceId, entry.at, proof],
    );
    return this.decide(replacement, entry);
  }

  /**
   * Carries out a decision about an app, with all of its installs. It is approved only if the client is still as it was seen; a deleted
   * one loses its grants.
   *
   * @param changedAt the version that somebody saw; an approval requires that it is still current
   * @returns whether the decision's condition was met
   */
  async carryOut(entry: AuditEntry<DecisionEvent>, changedAt: number | null = null): Promise<boolean> {
    const { instanceId, at, actor, event } = entry;
    const { clientId } = entry.detail;
    const { condition, set, ends } = EFFECTS[event];
    const values = [clientId, instanceId, changedAt];
    const chosen = (first: number) => {
      const [id, instance, seen] = [0, 1, 2].map((place) => `?${first + place}`) as [string, string, string];
      const which =
        event === "client_approved"
          ? `id = ${id} AND changed_at = ${seen}`
          : `app = ${appOf(id, instance)} AND ${seen} IS NULL`;
      return `instance_id = ${instance} AND ${which} AND ${isApp()} AND ${condition}`;
    };
    const clients = { sql: (first: number) => `SELECT id FROM clients WHERE ${chosen(first)}`, values };
    const endings = ends.flatMap((which) => this.#endGrants(which, clients, { instanceId, clientId, actor, at }));
    const decision = set === undefined ? "DELETE FROM clients" : `UPDATE clients SET ${set}, ${laterThanBefore("?4")}`;
    const results = await runBatch(this.database, [
      ...endings,
      this.statement(`${decision} WHERE ${chosen(1)}`, [...values, ...(set === undefined ? [] : [at])]),
      recordIfChanged(this.database, entry),
      ...(event === "client_approved" ? [this.#approve(instanceId, clientId, at)] : []),
      ...(event === "client_disabled" ? [this.#suspend(instanceId, clientId, at)] : []),
      ...(event === "client_enabled" ? [this.#suspend(instanceId, clientId, null)] : []),
    ]);
    return changesOf(results, endings.length) > 0;
  }

  /** Makes the approval of a client at this moment one of all installs of its app that have no more than it has. */
  #approve(instanceId: number, clientId: string, at: number): D1PreparedStatement {
    return this.statement(
      `INSERT INTO app_approvals (instance_id, app, variant, scopes, approved_at)
       SELECT instance_id, app, variant, scopes, kept_at FROM clients
       WHERE id = ?1 AND instance_id = ?2 AND kept_at = ?3 AND disabled_at IS NULL AND kind = 'dynamic'
       ON CONFLICT DO UPDATE SET approved_at = excluded.approved_at, disabled_at = NULL`,
      [clientId, instanceId, at],
    );
  }

  /** Suspends what was approved of an app, or restores it. */
  #suspend(instanceId: number, clientId: string, at: number | null): D1PreparedStatement {
    return this.statement(
      `UPDATE app_approvals SET disabled_at = ?3 WHERE instance_id = ?2 AND app = ${appOf("?1", "?2")}`,
      [clientId, instanceId, at],
    );
  }
}

/** What a decision requires and does. */
interface Effect {
  readonly condition: string;
  /** What it sets, at ?4. Without it, the client is deleted. */
  readonly set?: string;
  /** The grants that it ends. */
  readonly ends: readonly GrantsOfClient[];
}

/** The condition that a service account signs in with the client. */
const IS_BOUND = `EXISTS (SELECT 1 FROM service_accounts s
  WHERE s.instance_id = clients.instance_id AND s.workload ->> '$.client' = clients.id)`;

const EFFECTS: Readonly<Record<DecisionEvent, Effect>> = {
  client_approved: {
    condition: `disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static' AND NOT ${isCovered("clients")}`,
    set: "is_pending = 0, caller = NULL, kept_at = ?4",
    ends: [],
  },
  client_denied: {
    // Only the installs that wait: others of the app may have been approved.
    condition: `disabled_at IS NULL AND is_pending = 1 AND NOT ${isCovered("clients")}`,
    set: "disabled_at = ?4",
    ends: ["bound"],
  },
  client_disabled: { condition: "disabled_at IS NULL", set: "disabled_at = ?4", ends: ["bound"] },
  client_enabled: { condition: "disabled_at IS NOT NULL", set: "disabled_at = NULL", ends: [] },
  // An app that a service account signs in with is known again at its next request, so it isn't removed before its account.
  client_removed: { condition: `NOT ${IS_BOUND}`, ends: ["own", "bound"] },
};
