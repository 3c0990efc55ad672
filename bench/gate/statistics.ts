/** The median of some numbers, and the quartiles between which half of them lie. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

/** @throws if there are no numbers */
export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new RangeError("nothing was measured");
  const sorted = [...values].sort((left, right) => left - right);
  return { median: quantile(sorted, 0.5), lower: quantile(sorted, 0.25), upper: quantile(sorted, 0.75) };
}

/**
 * Returns the elements in a random order, so that something that happens at intervals doesn't always affect the same one.
 */
export function shuffled<Element>(elements: readonly Element[]): Element[] {
  return elements
    .map((element) => ({ element, place: Math.random() }))
    .sort((left, right) => left.place - right.place)
    .map(({ element }) => element);
}

/** Returns the value that a share of the numbers does not exceed. @param sorted ascending */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}
