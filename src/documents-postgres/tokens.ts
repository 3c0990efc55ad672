import { hashOf, LEVELS } from "#documents/index-rules.ts";
import type { FilterTerm } from "#documents/engine.ts";

/**
 * What the index holds of a document: numbers of 32 bits, for words, for words at their levels, and for filter terms. One word has
 * another number in every instance, so that no search reads a list of another's documents.
 */
function token(instanceId: number, hash: number, sort: number): number {
  const instance =
    Math.imul(instanceId % 2 ** 32, 0x9e3779b1) ^ Math.imul(Math.floor(instanceId / 2 ** 32), 0x165667b1);
  let mixed = Math.imul(hash ^ instance, 0x85ebca6b) ^ Math.imul(sort + 1, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return mixed ^ (mixed >>> 16);
}

const WORD = LEVELS;
const TERM = LEVELS + 1;

/** @param hash the word's, as `hashOf` tells */
export function wordToken(instanceId: number, hash: number): number {
  return token(instanceId, hash, WORD);
}

/** A word in documents where it has an impact of this level. */
export function levelToken(instanceId: number, hash: number, level: number): number {
  return token(instanceId, hash, level);
}

export function termToken(instanceId: number, [field, value]: FilterTerm): number {
  return token(instanceId, hashOf(`${field}\n${value}`), TERM);
}
