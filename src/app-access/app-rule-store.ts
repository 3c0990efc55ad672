import type { AuditEntry } from "#audit/audit.ts";
import type { ContentCondition } from "#documents/engine.ts";
import type { AppRule } from "./app-rules.ts";

/** Who may use one app, and what it may search. */
export interface AppLimits {
  readonly rules: readonly AppRule[];
  readonly content: readonly ContentCondition[];
}

/** The same as it is stored. */
export interface StoredRules extends AppLimits {
  readonly app: string;
  /** Both as the stored JSON, to detect changes. */
  readonly text: string;
  readonly changedAt: number;
}

export interface AppRuleReader {
  /** Finds the rules and content of an app; `null` if it has neither. */
  find(instanceId: number, app: string): Promise<StoredRules | null>;
  list(instanceId: number): Promise<StoredRules[]>;
}

export interface AppRuleStore extends AppRuleReader {
  /**
   * Replaces the rules and content of an app if they are still as seen, and writes the audit entry.
   *
   * @param of what the app must be: `machine` for a service account, or all personal tokens
   * @returns `false` if they changed in the meantime, the app is unknown or something else, or too many apps have any
   */
  replace(
    instanceId: number,
    app: string,
    limits: AppLimits,
    seen: StoredRules | null,
    of: "app" | "machine",
    appsMax: number,
    entry: AuditEntry<"client_rules_changed"> | AuditEntry<"client_content_changed">,
  ): Promise<boolean>;
}
