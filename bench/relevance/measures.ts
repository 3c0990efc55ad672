/** Measures of relevance, as information retrieval defines them. */

export interface Judged {
  /** Ids, best first. */
  readonly found: readonly string[];
  /** The grades of the documents that answer the question, by id. Higher is better. */
  readonly grades: ReadonlyMap<string, number>;
}

export interface Measures {
  readonly questions: number;
  readonly ndcg: number;
  readonly mrr: number;
  readonly recall: number;
  readonly empty: number;
}

const DEPTH = 10;

/**
 * Returns means over all questions: nDCG@10 with the grade as gain and log2(rank + 1), MRR@10 and recall@10; and the number of
 * empty results.
 */
export function measure(judged: readonly Judged[]): Measures {
  const mean = (of: (one: Judged) => number) =>
    judged.reduce((sum, one) => sum + of(one), 0) / Math.max(judged.length, 1);
  return {
    questions: judged.length,
    ndcg: mean(ndcgOf),
    mrr: mean(({ found, grades }) => {
      const at = found.slice(0, DEPTH).findIndex((id) => grades.has(id));
      return at < 0 ? 0 : 1 / (at + 1);
    }),
    recall: mean(({ found, grades }) => {
      const right = found.slice(0, DEPTH).filter((id) => grades.has(id)).length;
      return right / Math.max(grades.size, 1);
    }),
    empty: judged.filter(({ found }) => found.length === 0).length,
  };
}

function ndcgOf({ found, grades }: Judged): number {
  const gain = (order: readonly number[]) =>
    order.slice(0, DEPTH).reduce((sum, grade, at) => sum + grade / Math.log2(at + 2), 0);
  const best = gain([...grades.values()].sort((one, other) => other - one));
  return best === 0 ? 0 : gain(found.map((id) => grades.get(id) ?? 0)) / best;
}
