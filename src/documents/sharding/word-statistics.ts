import { AS_WRITTEN, IN_ANY_FORM } from "#documents/find/query/slot-words.ts";
import { weightOfTier } from "#documents/find/rank/rank.ts";
import { idfOf } from "#documents/index-rules.ts";
import type { Place, WordStatistics } from "./shard-page.ts";

/** Adds up how rare words are in each shard. */
export function statisticsOf(shards: readonly WordStatistics[]): WordStatistics {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
  const slots = Math.max(...shards.map(({ frequencies }) => frequencies.length));
  return {
    documents: sum(shards.map(({ documents }) => documents)),
    frequencies: Array.from({ length: slots }, (_, slot) =>
      [AS_WRITTEN, IN_ANY_FORM].map((way) => sum(shards.map(({ frequencies }) => frequencies[slot]?.[way] ?? 0))),
    ),
  };
}

/**
 * Returns about the score that a document would have if each word were as rare in its shard as in all. By its own shard, a word that
 * happens to be rarer there would put its documents before those of other shards.
 *
 * @param own the statistics by which its shard scored it
 */
export function comparableScore({ tier, score, held }: Place, own: WordStatistics, all: WordStatistics): number {
  if (tier === 0) return score;
  const weightBy = ({ documents, frequencies }: WordStatistics) =>
    weightOfTier(tier, (way) =>
      frequencies.reduce(
        (sum, ways, slot) => ((held & (1 << slot)) === 0 ? sum : sum + idfOf(documents, ways[way] ?? 0)),
        0,
      ),
    );
  return (score * weightBy(all)) / weightBy(own);
}
