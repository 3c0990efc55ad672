/** Sets of rows, a bit each: 32 rows to a number. */

export function hasRow(bits: Uint32Array, row: number): boolean {
  return (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
}

/** Calls with each row of a set, newest first. */
export function eachRow(bits: Uint32Array, see: (row: number) => void): void {
  for (let part = bits.length - 1; part >= 0; part--) eachRowOfPart(bits[part] ?? 0, part, see);
}

/** The same of one number, the rows being those from 32 times its place on. */
export function eachRowOfPart(bits: number, part: number, see: (row: number) => void): void {
  for (let left = bits; left !== 0; ) {
    const bit = 31 - Math.clz32(left);
    left ^= 1 << bit;
    see(part * 32 + bit);
  }
}

/** How many rows a number has. */
export function rowsIn(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The same numbers with room for so many, and for more. */
export function grown(numbers: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  if (size <= numbers.length) return numbers;
  const larger = new Uint32Array(Math.max(size, Math.floor(numbers.length * 1.2)));
  larger.set(numbers);
  return larger;
}
