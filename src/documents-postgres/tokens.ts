import type { FilterTerm } from "#documents/engine.ts";
import { LEVELS } from "#documents/index-rules.ts";
import type { WordHash } from "#documents/word-hash.ts";

/**
 * Returns a token: one of the 32-bit numbers by which the index finds a document. There are tokens for words, words at their
 * levels, pairs of neighbouring words, filter terms, the principals of its permissions, and the epoch in which it was written. A
 * word has a different token in every instance, so that no search reads a list with another instance's documents.
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

/** Epochs share this many tokens, so that a document whose permissions change for years doesn't collect more. */
const EPOCHS = 256;

/**
 * Pairs of words share hashes of this many bits. Nearly all pairs are in only one document, and a separate list for each would
 * take more space than all other lists. Together with the tokens of the words, they tell nearly exactly which documents contain
 * the pair.
 */
const PAIR_BITS = 16;

/** @param hash the word's hash, made with the instance's key */
export function wordToken(instanceId: number, hash: number): number {
  return token(instanceId, hash, WORD);
}

/** Returns the token of documents in which a word has this impact level. */
export function levelToken(instanceId: number, hash: number, level: number): number {
  return token(instanceId, hash, level);
}

export function termToken(instanceId: number, hash: WordHash, [field, value]: FilterTerm): number {
  return token(instanceId, hash(`${field}\n${value}`), TERM);
}

/** @param principal the principal's id */
export function principalToken(instanceId: number, principal: number): number {
  return token(instanceId, principal, PRINCIPAL);
}

/** Returns the token of documents that were written in an epoch: see `upkeep/postings.ts`. */
export function epochToken(instanceId: number, epoch: number): number {
  return token(instanceId, epoch % EPOCHS, EPOCH);
}

/** Returns the tokens of each two neighbouring words. @param hashes the words' hashes, in order */
export function pairTokens(instanceId: number, hashes: readonly number[]): readonly number[] {
  return hashes
    .slice(1)
    .map((hash, at) => token(instanceId, (Math.imul(hashes[at] ?? 0, 0x9e3779b1) ^ hash) >>> (32 - PAIR_BITS), PAIR));
}
