import type { AuditEntry } from "#audit/audit.ts";
import type { AppRule } from "./app-rules.ts";

/** The rules of one app as they are stored. */
export interface StoredRules {
  readonly app: string;
  readonly rules: readonly AppRule[];
  /** The rules as the stored JSON, to detect changes. */
  readonly text: string;
  readonly changedAt: number;
}

export interface AppRuleReader {
  /** Finds the rules of an app; `null` if it has none, so that everybody may use it. */
  find(instanceId: number, app: string): Promise<StoredRules | null>;
  list(instanceId: number): Promise<StoredRules[]>;
}

export interface AppRuleStore extends AppRuleReader {
  /**
   * Replaces the rules of an app if they are still as seen, and writes the audit entry. With no rules, everybody may use the app again.
   *
   * @returns `false` if they changed in the meantime, the app is unknown, or too many apps have rules
   */
  replace(
    instanceId: number,
    app: string,
    rules: readonly AppRule[],
    seen: StoredRules | null,
    appsMax: number,
    entry: AuditEntry<"client_rules_changed">,
  ): Promise<boolean>;
}
