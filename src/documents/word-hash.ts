import { setState, stateOf, type Store } from "./store.ts";

/** A 32-bit hash. Of a few words and a document's few hundred, one in ten million is mistaken for another. */
export type WordHash = (word: string) => number;

/** A 64-bit key, in two halves. */
type WordKey = readonly number[];

/**
 * Returns HalfSipHash-1-3 of a word's UTF-16 code units: a hash for tables whose keys others choose (Aumasson and Bernstein, and
 * Linux's `hsiphash`). Without a secret key, anybody could compute two words with the same hash, write one into a document that
 * they may read, and learn from its matches whether other people's documents contain the other. Like the key, the hashes never
 * leave the store.
 */
export function wordHash([low = 0, high = 0]: WordKey): WordHash {
  return (word) => {
    let v0 = low;
    let v1 = high;
    let v2 = 0x6c796765 ^ low;
    let v3 = 0x74656462 ^ high;
    const whole = word.length >> 1;
    // The blocks of two units, then one with the rest and the length in bytes, then three empty ones to finish.
    for (let block = 0; block < whole + 4; block++) {
      let given = 0;
      if (block < whole) given = word.charCodeAt(2 * block) | (word.charCodeAt(2 * block + 1) << 16);
      else if (block === whole) given = (word.length << 25) | (word.length & 1 ? word.charCodeAt(word.length - 1) : 0);
      else if (block === whole + 1) v2 ^= 0xff;
      v3 ^= given;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= given;
    }
    return (v1 ^ v3) >>> 0;
  };
}

/** Gives a new store its key, which is neither exported nor moved: documents that move are indexed again. */
export function makeWordKey(store: Store): void {
  for (const [half, value] of crypto.getRandomValues(new Int32Array(2)).entries())
    setState(store, keyName(half), value);
}

function keyName(half: number): "word key 0" | "word key 1" {
  return half === 0 ? "word key 0" : "word key 1";
}

/** The hash function of each store, whose key never changes. */
const known = new WeakMap<Store, WordHash>();

/** Returns the hash function with the store's own key. */
export function wordHashOf(store: Store): WordHash {
  const hash = known.get(store) ?? wordHash(wordKeyOf(store));
  known.set(store, hash);
  return hash;
}

function wordKeyOf(store: Store): WordKey {
  const key = [stateOf(store, "word key 0"), stateOf(store, "word key 1")];
  if (key.every((half) => half === 0)) throw new Error("This store has no word key: its index can't be read.");
  return key;
}
