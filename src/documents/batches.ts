/**
 * Splits a list into consecutive batches that weigh at most `max` each. An item that weighs more is a batch by itself.
 *
 * @param weightOf the weight of an item, in the same unit as `max`
 */
export function batchesOf<Item>(
  items: Iterable<Item>,
  weightOf: (item: Item) => number,
  max: number,
): readonly (readonly Item[])[] {
  const batches: Item[][] = [];
  let weight = 0;
  for (const item of items) {
    const more = weightOf(item);
    if (batches.length === 0 || weight + more > max) {
      batches.push([]);
      weight = 0;
    }
    batches.at(-1)?.push(item);
    weight += more;
  }
  return batches;
}
