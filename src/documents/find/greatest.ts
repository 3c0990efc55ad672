/** Steps in which numbers are told apart. */
const STEPS = 4096;

/**
 * The places of so many numbers that are greatest, and of those that are about as great as the last of these the first: in the order
 * of their places. Where there are many numbers this is far sooner than to sort them.
 *
 * @param numbers none is negative; the first `count` are looked at
 */
export function placesOfGreatest(numbers: Float32Array, count: number, max: number): number[] {
  if (count <= max) return Array.from({ length: count }, (_, place) => place);
  let most = 0;
  for (let place = 0; place < count; place++) most = Math.max(most, numbers[place] ?? 0);
  const scale = (STEPS - 1) / Math.max(most, Number.MIN_VALUE);
  const counts = new Uint32Array(STEPS);
  for (let place = 0; place < count; place++) {
    const step = Math.floor((numbers[place] ?? 0) * scale);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let least = STEPS - 1;
  let greater = 0;
  for (; greater + (counts[least] ?? 0) <= max; least--) greater += counts[least] ?? 0;
  let equal = max - greater;
  const chosen: number[] = [];
  for (let place = 0; place < count; place++) {
    const step = Math.floor((numbers[place] ?? 0) * scale);
    if (step > least || (step === least && equal-- > 0)) chosen.push(place);
  }
  return chosen;
}
