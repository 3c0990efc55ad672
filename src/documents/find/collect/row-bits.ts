/** Sets of rows, one bit each: 32 rows per number. */

export function hasRow(bits: Uint32Array, row: number): boolean {
  return (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
}

/** Calls `see` with each row of a set, newest first. */
export function eachRow(bits: Uint32Array, see: (row: number) => void): void {
  for (let part = bits.length - 1; part >= 0; part--) eachRowOfPart(bits[part] ?? 0, part, see);
}

/** Does the same for one number, whose rows begin at 32 times its position. */
export function eachRowOfPart(bits: number, part: number, see: (row: number) => void): void {
  for (let left = bits; left !== 0; ) {
    const bit = 31 - Math.clz32(left);
    left ^= 1 << bit;
    see(part * 32 + bit);
  }
}

/** Returns how many rows a number contains. */
export function rowsIn(bits: number): number {
  let left = bits - ((bits >>> 1) & 0x55555555);
  left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
  return Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Returns the same numbers with room for `size`, and for more if they have to be copied. */
export function grown(numbers: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  if (size <= numbers.length) return numbers;
  const larger = new Uint32Array(Math.max(size, Math.floor(numbers.length * 1.2)));
  larger.set(numbers);
  return larger;
}

/** Returns the newest row of a set up to `upTo`; 0: there is none. */
export function newestRow(bits: Uint32Array, upTo: number): number {
  let part = Math.min(upTo >>> 5, bits.length - 1);
  if (part < 0) return 0;
  let left = bits[part] ?? 0;
  if (part === upTo >>> 5) left &= 0xffffffff >>> (31 - (upTo & 31));
  while (left === 0 && part > 0) left = bits[--part] ?? 0;
  return left === 0 ? 0 : part * 32 + 31 - Math.clz32(left);
}

/** Returns how many rows of a set are at least `from`. */
export function rowsFrom(bits: Uint32Array, from: number): number {
  const first = from >>> 5;
  let rows = rowsIn((bits[first] ?? 0) & (0xffffffff << (from & 31)));
  for (let part = first + 1; part < bits.length; part++) rows += rowsIn(bits[part] ?? 0);
  return rows;
}

/** Returns the `nth` row of a set, counted from the newest; 0: there are fewer. */
export function nthNewestRow(bits: Uint32Array, nth: number): number {
  let left = nth;
  for (let part = bits.length - 1; part >= 0; part--) {
    const rows = rowsIn(bits[part] ?? 0);
    if (rows < left) {
      left -= rows;
      continue;
    }
    let found = 0;
    eachRowOfPart(bits[part] ?? 0, part, (row) => {
      if (left-- === 1) found = row;
    });
    return found;
  }
  return 0;
}
