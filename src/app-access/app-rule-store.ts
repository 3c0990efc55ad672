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
