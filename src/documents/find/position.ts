import * as v from "valibot";

const row = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Where a later page goes on. Documents that came after `snapshot`, the newest row of the first page, stay out. */
const positionSchema = v.variant("part", [
  /** Behind a document of those that were weighed; should it be gone, behind so many others. */
  v.object({ part: v.literal("ranked"), snapshot: row, last: row, place: row }),
  /** In the others, which come newest first, before a row. */
  v.object({ part: v.literal("others"), snapshot: row, before: row }),
]);

export type Position = v.InferOutput<typeof positionSchema>;

/** More than any position takes. */
const LENGTH = 120;

/** Always of one length: a sealed position is as long as what it seals, and that tells how many documents there are. */
export function positionText(position: Position): string {
  return JSON.stringify(position).padEnd(LENGTH);
}

/** @returns `null` for what no search answered with */
export function parsePosition(text: string): Position | null {
  try {
    const parsed = v.safeParse(positionSchema, JSON.parse(text));
    return parsed.success ? parsed.output : null;
  } catch {
    return null;
  }
}
