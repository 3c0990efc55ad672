import * as v from "valibot";

const row = v.pipe(v.number(), v.integer(), v.minValue(0));

/**
 * Where a later page continues. Documents newer than `snapshot`, the newest row of the first page, are left out. `ids` is the version
 * of the ids of rows: if documents have other ids since, only places still say something.
 */
const positionSchema = v.variant("part", [
  /** After one of the scored documents; if that is gone, at its place. */
  v.object({ part: v.literal("ranked"), ids: row, snapshot: row, last: row, place: row }),
  /** Among the others, which come newest first, before a row. */
  v.object({ part: v.literal("others"), ids: row, snapshot: row, before: row }),
]);

export type Position = v.InferOutput<typeof positionSchema>;

/** More than any position needs. */
const LENGTH = 120;

/**
 * Serializes a position, always with the same length: a sealed position is as long as its content, and the length would reveal how many
 * documents there are.
 */
export function positionText(position: Position): string {
  return JSON.stringify(position).padEnd(LENGTH);
}

/** Parses a position. @returns `null` if no search has returned it */
export function parsePosition(text: string): Position | null {
  try {
    const parsed = v.safeParse(positionSchema, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
