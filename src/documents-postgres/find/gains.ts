import { placesOfGreatest } from "#documents/find/greatest.ts";

/** A document that promises to weigh something. */
export interface Promising {
  readonly id: number;
  readonly gain: number;
}

/**
 * What documents promise to weigh, by id. A table of numbers, as a map takes five times as long for thousands of entries. It is used for
 * one search after another: arrays as large as these are collected with everything else in memory.
 */
export class Gains {
  /** Of each place the number of a document, from 1. */
  #numbers = new Int32Array(0);
  #shift = 32;
  #ids = new Int32Array(0);
  #slots = new Uint32Array(0);
  #gains = new Float32Array(0);
  #size = 0;

  /** Empty, for so many documents at most. */
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

  /** A document that was met with a heavier form of the word already gains nothing. */
  add(id: number, slot: number, gain: number): void {
    const at = this.#indexOf(id);
    const bit = 1 << slot;
    const before = this.#slots[at] ?? 0;
    if ((before & bit) !== 0) return;
    this.#slots[at] = before | bit;
    this.#gains[at] = (this.#gains[at] ?? 0) + gain;
  }

  /** Adds what was added up elsewhere. */
  addSum(id: number, gain: number): void {
    const at = this.#indexOf(id);
    this.#gains[at] = (this.#gains[at] ?? 0) + gain;
  }

  /** So many that gain most, in no order. */
  greatest(max: number): Promising[] {
    return placesOfGreatest(this.#gains, this.#size, max).map((at) => ({
      id: this.#ids[at] ?? 0,
      gain: this.#gains[at] ?? 0,
    }));
  }

  /** Of each slot that none of these documents has, the one that gains most. */
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
