import type { AuditEntry } from "#audit/audit.ts";
import type { AppRule } from "./app-rules.ts";

/** The rules of one app as they are stored. */
export interface StoredRules {
  readonly app: string;
  readonly rules: readonly AppRule[];
  /** The rules to the letter. */
  readonly text: string;
  readonly changedAt: number;
}

export interface AppRuleReader {
  /** `null` where no rules are about the app, which is for everybody then. */
  find(instanceId: number, app: string): Promise<StoredRules | null>;
  list(instanceId: number): Promise<StoredRules[]>;
}

export interface AppRuleStore extends AppRuleReader {
  /**
   * Replaces the rules of an app, with the audit entry, where they are still what was seen; none let everybody use it again.
   *
   * @returns `false` where others changed them meanwhile, the app is unknown, or so many apps have rules already
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
