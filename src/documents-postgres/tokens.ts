import type { FilterTerm } from "#documents/engine.ts";
import { LEVELS } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";

/**
 * What the index holds of a document: numbers of 32 bits, for words, for words at their levels, for pairs of words that stand in a row,
 * for filter terms, for the principals of its permissions and for when it was written. One word has another number in every instance, so that no search reads a list of another's documents.
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
const PAIR = LEVELS + 2;
const PRINCIPAL = LEVELS + 3;
const EPOCH = LEVELS + 4;

/** Epochs share so many numbers, so that a document whose permissions change for years collects no more. */
const EPOCHS = 256;

/**
 * Pairs of words share numbers of so many bits: nearly all pairs are in one document, and a list for each would be larger than all other lists.
 * Which documents have the words as well tells nearly exactly which have the pair.
 */
const PAIR_BITS = 16;

/** @param hash the word's, by the instance's key */
export function wordToken(instanceId: number, hash: number): number {
  return token(instanceId, hash, WORD);
}

/** A word in documents where it has an impact of this level. */
export function levelToken(instanceId: number, hash: number, level: number): number {
  return token(instanceId, hash, level);
}

export function termToken(instanceId: number, hash: WordHash, [field, value]: FilterTerm): number {
  return token(instanceId, hash(`${field}\n${value}`), TERM);
}

/** @param principal its id */
export function principalToken(instanceId: number, principal: number): number {
  return token(instanceId, principal, PRINCIPAL);
}

/** Of the documents that were written in an epoch: see `upkeep/postings.ts`. */
export function epochToken(instanceId: number, epoch: number): number {
  return token(instanceId, epoch % EPOCHS, EPOCH);
}

/** Of each two words that stand in a row. @param hashes the words' */
export function pairTokens(instanceId: number, hashes: readonly number[]): readonly number[] {
  return hashes
    .slice(1)
    .map((hash, at) => token(instanceId, (Math.imul(hashes[at] ?? 0, 0x9e3779b1) ^ hash) >>> (32 - PAIR_BITS), PAIR));
}
