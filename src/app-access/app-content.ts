import type { ContentCondition } from "#documents/engine.ts";

/** What the apps of an instance may search, by app. An app that is not listed may search everything that its person may see. */
export type AppContent = ReadonlyMap<string, readonly ContentCondition[]>;

/** The name that content is stored under for all tokens that administrators create for one person. */
export const PERSONAL_TOKENS = "personal-tokens";
