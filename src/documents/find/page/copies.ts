import type { ExcerptTerms } from "#documents/find/page/hits.ts";
import type { RankedDocument } from "#documents/find/rank/rank.ts";
import type { SearchResults } from "#documents/find/results.ts";
import { isNearlySame } from "#documents/sketches.ts";
import type { Store } from "#documents/store.ts";
import { areCopies } from "./likeness.ts";
import { likenessesOf } from "./read-page.ts";

/** Documents without those that are copies of an earlier one, and how many copies each has. */
export interface DistinctDocuments {
  readonly ranked: readonly RankedDocument[];
  readonly copies: ReadonlyMap<number, number>;
}

/** Leaves out copies among the first documents. Which are compared, and what they are compared by, is only what the person may see. */
export function distinctOf(
  store: Store,
  { ranked, sketches }: Pick<SearchResults, "ranked" | "sketches">,
  sought: ExcerptTerms,
  characters: number,
  max: number,
): DistinctDocuments {
  const rows = ranked.flatMap(({ row }) => (sketches.get(row)?.hashes.length ? [row] : []));
  const hashesOf = (row: number) => sketches.get(row)?.hashes ?? [];
  const alike = new Set<number>();
  for (const [at, row] of rows.entries()) {
    const like = rows.slice(0, at).find((one) => isNearlySame(hashesOf(one), hashesOf(row)));
    if (like !== undefined) alike.add(like).add(row);
  }
  const read = [...alike].slice(0, max);
  const likenesses = likenessesOf(store, read, sought, characters, hashesOf);
  const copies = new Map<number, number>();
  const leaders: number[] = [];
  const left = new Set<number>();
  for (const { row } of ranked) {
    const own = likenesses.get(row);
    if (!own) continue;
    const leader = leaders.find((one) => areCopies(likenesses.get(one), own));
    if (leader === undefined) leaders.push(row);
    else {
      copies.set(leader, (copies.get(leader) ?? 0) + 1);
      left.add(row);
    }
  }
  return { ranked: left.size === 0 ? ranked : ranked.filter(({ row }) => !left.has(row)), copies };
}
