import { COMPLETED } from "#documents/find/tally.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";
import { type Candidate, candidatesIn } from "./found.ts";
import type { Lists } from "./lists.ts";
import { Parameters } from "./parameters.ts";
import type { Question } from "./question.ts";
import type { Scope } from "./scope.ts";

/**
 * Returns the condition for documents that contain all words (the unfinished one or a completion of it), the pairs of words in
 * phrases, and nothing unwanted.
 */
export function togetherCondition(lists: Lists, question: Question, parameters: Parameters): string {
  const single = question.phrases.flatMap(({ words }) => lists.pairTokens(words));
  for (let slot = 0; slot < lists.slots; slot++) {
    const tokens = lists.tokens(slot, COMPLETED);
    if (tokens.length === 1) single.push(...tokens);
  }
  return [
    ...(single.length > 0 ? [`e.tokens @> ${parameters.add(numberList(single), "int[]")}`] : []),
    ...alternativesConditions(lists, parameters),
    ...unwantedConditions(lists, question, parameters),
  ].join(" AND ");
}

function alternativesConditions(lists: Lists, parameters: Parameters): string[] {
  return Array.from({ length: lists.slots }, (_, slot) => lists.tokens(slot, COMPLETED))
    .filter((tokens) => tokens.length !== 1)
    .map((tokens) => `e.tokens && ${parameters.add(numberList(tokens), "int[]")}`);
}

function unwantedConditions(lists: Lists, question: Question, parameters: Parameters): string[] {
  const unwanted = question.unwanted.filter((words) => words.length === 1).flat();
  if (unwanted.length === 0) return [];
  const tokens = unwanted.map((word) => lists.token(word));
  return [`NOT e.tokens && ${parameters.add(numberList(tokens), "int[]")}`];
}

export interface OthersCondition {
  /** The condition that documents of each list `l` have to meet in addition. */
  readonly condition: string;
  /** The tokens that documents of a slot's lists need to have in addition. */
  readonly othersOf: (slot: number) => readonly number[];
}

export const ALONE: OthersCondition = { condition: "", othersOf: () => [] };

/**
 * Returns what documents of a slot's lists have to meet to contain all words. They have the slot's own word: asking for it again
 * would read all documents of the word.
 */
export function othersCondition(lists: Lists, question: Question, parameters: Parameters): OthersCondition {
  const pairs = question.phrases.flatMap(({ words }) => lists.pairTokens(words));
  const single = Array.from({ length: lists.slots }, (_, slot) => lists.tokens(slot, COMPLETED));
  const others = (slot: number) => [
    ...pairs,
    ...single.flatMap((tokens, other) => (other === slot || tokens.length > 1 ? [] : tokens)),
  ];
  const conditions = lists.slots === 1 ? [] : alternativesConditions(lists, parameters);
  if (lists.slots > 1 || pairs.length > 0) conditions.push("e.tokens @> l.others::int[]");
  return {
    condition: [...conditions, ...unwantedConditions(lists, question, parameters)].map((one) => `AND ${one}`).join(" "),
    othersOf: others,
  };
}

/**
 * Finds the documents that contain all words, newest first, if they are so few that they are found at once.
 *
 * @returns `null` if there are at least `max`
 */
export async function together(
  rows: Rows,
  scope: Scope,
  lists: Lists,
  question: Question,
  max: number,
): Promise<readonly Candidate[] | null> {
  const parameters = new Parameters();
  const all = togetherCondition(lists, question, parameters);
  const toCheck = lists.rarest < max ? scope.conditionForFew(lists.rarest, parameters) : null;
  const condition = toCheck ?? scope.conditionInLists(parameters);
  const found = await candidatesIn(
    rows,
    `SELECT * FROM (SELECT e.id, e.length, e.day, e.class FROM entries e WHERE ${all} AND ${condition}
       LIMIT ${parameters.add(max, "int")}) f ORDER BY id DESC`,
    parameters.values,
    { held: scope.held },
  );
  return found.length < max ? found : null;
}
