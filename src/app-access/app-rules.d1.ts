import { AuditedStore } from "#audit/audited-database.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { runDecision } from "#audit/decision.sql.ts";
import { isApp } from "#clients/is-app.sql.ts";
import { allRows, firstRow } from "#platform/d1.ts";
import { type AppRule, SELF_REGISTERED } from "./app-rules.ts";
import type { AppRuleStore, StoredRules } from "./app-rule-store.ts";

interface Row {
  readonly app: string;
  readonly rules: string;
  readonly changed_at: number;
}

/**
 * The condition for a known app (?1 the instance, ?2 the app): a client, all self-registered ones, or an application that an
 * identity provider is registered with.
 */
const KNOWN_APP = `(?2 = '${SELF_REGISTERED}' OR EXISTS (SELECT 1 FROM clients WHERE id = ?2 AND instance_id = ?1 AND ${isApp()})
  OR EXISTS (SELECT 1 FROM external_issuers e, json_each(e.configuration, '$.clientIds') client
    WHERE e.instance_id = ?1 AND e.issuer || '|' || client.value = ?2))`;

/** The rules of apps in D1. The gate reads them from the policy snapshot, never from here. */
export class D1AppRules extends AuditedStore implements AppRuleStore {
  async find(instanceId: number, app: string): Promise<StoredRules | null> {
    const row = await firstRow<Row>(
      this.database
        .prepare("SELECT app, rules, changed_at FROM app_rules WHERE instance_id = ?1 AND app = ?2")
        .bind(instanceId, app),
    );
    return row && toStored(row);
  }

  async list(instanceId: number): Promise<StoredRules[]> {
    const rows = await allRows<Row>(
      this.database
        .prepare("SELECT app, rules, changed_at FROM app_rules WHERE instance_id = ?1 ORDER BY app")
        .bind(instanceId),
    );
    return rows.map(toStored);
  }

  /** The statement checks the rules that were seen, the app and the limit, so two administrators can't overwrite each other's change. */
  async replace(
    instanceId: number,
    app: string,
    rules: readonly AppRule[],
    seen: StoredRules | null,
    appsMax: number,
    entry: AuditEntry<"client_rules_changed">,
  ): Promise<boolean> {
    const replacement = this.#replacement(instanceId, app, rules, seen, appsMax, entry.at);
    return runDecision(this.database, replacement, entry);
  }

  #replacement(
    instanceId: number,
    app: string,
    rules: readonly AppRule[],
    seen: StoredRules | null,
    appsMax: number,
    at: number,
  ): D1PreparedStatement {
    if (rules.length === 0) {
      return this.database
        .prepare("DELETE FROM app_rules WHERE instance_id = ?1 AND app = ?2 AND rules IS ?3")
        .bind(instanceId, app, seen?.text ?? null);
    }
    const text = JSON.stringify(rules);
    return seen
      ? this.database
          .prepare(
            "UPDATE app_rules SET rules = ?3, changed_at = ?4 WHERE instance_id = ?1 AND app = ?2 AND rules = ?5",
          )
          .bind(instanceId, app, text, at, seen.text)
      : this.database
          .prepare(
            `INSERT INTO app_rules (instance_id, app, rules, changed_at) SELECT ?1, ?2, ?3, ?4
             WHERE ${KNOWN_APP} AND (SELECT count(*) FROM app_rules WHERE instance_id = ?1) < ?5 ON CONFLICT DO NOTHING`,
          )
          .bind(instanceId, app, text, at, appsMax);
  }
}

function toStored({ app, rules, changed_at }: Row): StoredRules {
  return { app, rules: JSON.parse(rules) as AppRule[], text: rules, changedAt: changed_at };
}
