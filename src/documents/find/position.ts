/**
 * Where a later page continues. Documents newer than `snapshot`, the newest row of the first page, are left out. `ids` is the version
 * of the ids of rows: if documents have other ids since, only places still say something.
 */
export type Position =
  /** After one of the scored documents; if that is gone, at its place. */
  | {
      readonly part: "ranked";
      readonly ids: number;
      readonly snapshot: number;
      readonly last: number;
      readonly place: number;
    }
  /** In the tail of documents that were not scored, newest first, before a row. */
  | { readonly part: "tail"; readonly ids: number; readonly snapshot: number; readonly before: number };

/** More than any position needs. A cursor has one for each of up to 64 shards, and addresses of the search page have 25 cursors. */
export const POSITION_LENGTH = 28;

/**
 * Serializes a position, always with the same length: a sealed position is as long as its content, and the length would reveal how many
 * documents there are.
 */
export function positionText(position: Position): string {
  const { ids, snapshot } = position;
  const numbers =
    position.part === "ranked" ? [ids, snapshot, position.last, position.place] : [ids, snapshot, position.before];
  return numbers
    .map((number) => number.toString(36))
    .join(".")
    .padEnd(POSITION_LENGTH);
}

/** Parses a position. @returns `null` if no search has returned it */
export function parsePosition(text: string): Position | null {
  if (!/^[0-9a-z]{1,8}(\.[0-9a-z]{1,8}){2,3} *$/.test(text)) return null;
  const [ids = 0, snapshot = 0, at = 0, place] = text.split(".").map((number) => Number.parseInt(number, 36));
  return place === undefined
    ? { part: "tail", ids, snapshot, before: at }
    : { part: "ranked", ids, snapshot, last: at, place };
}
