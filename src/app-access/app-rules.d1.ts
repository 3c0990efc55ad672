import { asMembers, type RowOf } from "#platform/columns.sql.ts";
import { AuditedStore } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { isApp } from "#clients/is-app.sql.ts";
import type { ContentCondition } from "#documents/engine.ts";
import { PERSONAL_TOKENS } from "./app-content.ts";
import { type AppLimits, type AppRule, RULED_APPS_MAX, SELF_REGISTERED, type StoredRules } from "./app-rules.ts";

type Row = RowOf<Omit<StoredRules, "text">, "rules" | "content">;

const COLUMNS = asMembers("app, rules, content, changed_at");

/**
 * The conditions for a known app, by what it is (?1 the instance, ?2 the app): a client, all self-registered ones, or an application
 * that an identity provider is registered with; or else a service account, or all personal tokens. Whoever manages apps must not
 * decide about machines.
 */
const KNOWN = {
  app: `(?2 = '${SELF_REGISTERED}' OR EXISTS (SELECT 1 FROM clients WHERE app = ?2 AND instance_id = ?1 AND ${isApp()})
  OR EXISTS (SELECT 1 FROM external_issuers e, json_each(e.configuration, '$.clientIds') client
    WHERE e.instance_id = ?1 AND e.issuer || '|' || client.value = ?2))`,
  machine: `(?2 = '${PERSONAL_TOKENS}' OR EXISTS (SELECT 1 FROM clients WHERE id = ?2 AND instance_id = ?1 AND NOT ${isApp()}))`,
} as const;

/** The condition that a stored row may be decided about. The app that it names may be gone. */
const DECIDABLE = { app: `NOT ${KNOWN.machine}`, machine: KNOWN.machine } as const;

/** The rules and content of apps in D1. The gate reads them from the policy snapshot, never from here. */
export class D1AppRules extends AuditedStore {
  /** Finds the rules and content of an app; `null` if it has neither. */
  async find(instanceId: number, app: string): Promise<StoredRules | null> {
    return this.first(
      `SELECT ${COLUMNS} FROM app_rules WHERE instance_id = ?1 AND app = ?2`,
      [instanceId, app],
      toStored,
    );
  }

  async list(instanceId: number): Promise<StoredRules[]> {
    return this.all(`SELECT ${COLUMNS} FROM app_rules WHERE instance_id = ?1 ORDER BY app`, [instanceId], toStored);
  }

  /**
   * Replaces the rules and content of an app if they are still as seen, so two administrators can't overwrite each other's change.
   *
   * @param of what the app must be: `machine` for a service account, or all personal tokens
   * @returns `false` if they changed in the meantime, the app is unknown or something else, or too many apps have any
   */
  async replace(
    app: string,
    limits: AppLimits,
    seen: StoredRules | null,
    of: "app" | "machine",
    entry: AuditEntry<"client_rules_changed"> | AuditEntry<"client_content_changed">,
  ): Promise<boolean> {
    return this.decide(this.#replacement([entry.instanceId, app], limits, seen, of, entry.at), entry);
  }

  #replacement(
    key: readonly [instanceId: number, app: string],
    { rules, content }: AppLimits,
    seen: StoredRules | null,
    of: "app" | "machine",
    at: number,
  ): D1PreparedStatement {
    const values = [JSON.stringify(rules), JSON.stringify(content)] as const;
    if (!seen) {
      return this.statement(
        `INSERT INTO app_rules (instance_id, app, rules, content, changed_at) SELECT ?1, ?2, ?3, ?4, ?5
         WHERE ${KNOWN[of]} AND (SELECT count(*) FROM app_rules WHERE instance_id = ?1) < ?6 ON CONFLICT DO NOTHING`,
        [...key, ...values, at, RULED_APPS_MAX],
      );
    }
    const condition = `instance_id = ?1 AND app = ?2 AND rules = ?3 AND content = ?4 AND ${DECIDABLE[of]}`;
    const before = [JSON.stringify(seen.rules), JSON.stringify(seen.content)] as const;
    return rules.length + content.length === 0
      ? this.statement(`DELETE FROM app_rules WHERE ${condition}`, [...key, ...before])
      : this.statement(`UPDATE app_rules SET rules = ?5, content = ?6, changed_at = ?7 WHERE ${condition}`, [
          ...key,
          ...before,
          ...values,
          at,
        ]);
  }
}

function toStored(row: Row): StoredRules {
  return {
    ...row,
    rules: JSON.parse(row.rules) as AppRule[],
    content: JSON.parse(row.content) as ContentCondition[],
    text: `${row.rules} ${row.content}`,
  };
}
