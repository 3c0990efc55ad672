import { LEVELS } from "#documents/index-rules.ts";

/** The columns of `words` that count how many documents have a word at each level. */
export const LEVEL_NAMES = Array.from({ length: LEVELS }, (_, level) => `l${level}`);

/** Selects these counts of a row `w`, as a JSON array. */
export const LEVEL_COUNTS = `to_json(ARRAY[${LEVEL_NAMES.map((name) => `w.${name}`).join(", ")}])`;
