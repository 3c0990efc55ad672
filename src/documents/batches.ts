/**
 * Splits a list into consecutive batches that weigh at most `max` each. An item that weighs more is a batch by itself. Weighs items only
 * when their batch is asked for.
 *
 * @param weightOf the weight of an item, in the same unit as `max`
 */
export function* batchesOf<Item>(
  items: Iterable<Item>,
  weightOf: (item: Item) => number,
  max: number,
): Generator<readonly Item[], undefined> {
  let batch: Item[] = [];
  let weight = 0;
  for (const item of items) {
    const more = weightOf(item);
    if (batch.length > 0 && weight + more > max) {
      yield batch;
      batch = [];
      weight = 0;
    }
    batch.push(item);
    weight += more;
  }
  if (batch.length > 0) yield batch;
}
