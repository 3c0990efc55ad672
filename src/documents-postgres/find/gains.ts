import { placesOfGreatest } from "#documents/find/greatest.ts";

/** A document with the score that it promises. */
export interface Promising {
  readonly id: number;
  readonly gain: number;
}

/**
 * The scores that documents promise, by id. It is a table of numbers, because a map takes five times as long for thousands of
 * entries. Searches share one table, one after another, because freeing arrays of this size takes a full garbage collection.
 */
export class Gains {
  /** The number of the document at each place of the table, from 1; 0 if there is none. */
  #numbers = new Int32Array(0);
  #shift = 32;
  #ids = new Int32Array(0);
  #slots = new Uint32Array(0);
  #gains = new Float32Array(0);
  #size = 0;

  /** Empties the table and makes room for this many documents. */
  reset(max: number): void {
    this.#slots.fill(0, 0, this.#size);
    this.#gains.fill(0, 0, this.#size);
    this.#size = 0;
    if (this.#ids.length >= max) {
      this.#numbers.fill(0);
      return;
    }
    const bits = Math.ceil(Math.log2(Math.max(max, 8) * 2));
    this.#shift = 32 - bits;
    this.#numbers = new Int32Array(2 ** bits);
    this.#ids = new Int32Array(2 ** (bits - 1));
    this.#slots = new Uint32Array(this.#ids.length);
    this.#gains = new Float32Array(this.#ids.length);
  }

  /** Adds a gain, unless the document already has one for the slot, from a heavier form of the word. */
  add(id: number, slot: number, gain: number): void {
    const at = this.#indexOf(id);
    const bit = 1 << slot;
    const before = this.#slots[at] ?? 0;
    if ((before & bit) !== 0) return;
    this.#slots[at] = before | bit;
    this.#gains[at] = (this.#gains[at] ?? 0) + gain;
  }

  /** Adds a gain that was added up elsewhere. */
  addSum(id: number, gain: number): void {
    const at = this.#indexOf(id);
    this.#gains[at] = (this.#gains[at] ?? 0) + gain;
  }

  /** Returns the `max` documents that gain most, in no particular order. */
  greatest(max: number): Promising[] {
    return placesOfGreatest(this.#gains, this.#size, max).map((at) => ({
      id: this.#ids[at] ?? 0,
      gain: this.#gains[at] ?? 0,
    }));
  }

  /** Returns, for each slot that none of these documents has, the document with the slot that gains most. */
  heaviestOfOthers(documents: readonly Promising[], slots: number): Promising[] {
    const known = documents.reduce((bits, { id }) => bits | (this.#slots[this.#indexOf(id)] ?? 0), 0);
    return Array.from({ length: slots }, (_, slot) => slot).flatMap((slot) => {
      if ((known & (1 << slot)) !== 0) return [];
      let best = -1;
      for (let at = 0; at < this.#size; at++) {
        const isHeavier = best < 0 || (this.#gains[at] ?? 0) > (this.#gains[best] ?? 0);
        if (((this.#slots[at] ?? 0) & (1 << slot)) !== 0 && isHeavier) best = at;
      }
      return best < 0 ? [] : [{ id: this.#ids[best] ?? 0, gain: this.#gains[best] ?? 0 }];
    });
  }

  #indexOf(id: number): number {
    let place = Math.imul(id, 0x9e3779b1) >>> this.#shift;
    for (;;) {
      const number = this.#numbers[place] ?? 0;
      if (number === 0) break;
      if (this.#ids[number - 1] === id) return number - 1;
      place = (place + 1) & (this.#numbers.length - 1);
    }
    this.#ids[this.#size] = id;
    this.#numbers[place] = ++this.#size;
    return this.#size - 1;
  }
}
