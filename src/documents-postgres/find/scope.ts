import type { TimeRange } from "#documents/engine.ts";
import { dayOfSeconds } from "#documents/index-rules.ts";
import { numberList } from "#documents-postgres/database.ts";
import type { Held } from "#documents-postgres/rights/held.ts";
import { principalToken } from "#documents-postgres/tokens.ts";
import type { Parameters } from "./parameters.ts";
import type { Filter } from "./question.ts";

/** Up to this many classes are looked up one by one. If there are more, the class of each document is checked. */
export const CLASSES_LISTED_MAX = 3000;

/**
 * Returns the condition under which somebody may see entries `e`. The engine decides this only in this file. A person who holds
 * nothing sees nothing, and nobody holds a class that was never created.
 *
 * @param isListed whether the index of classes may be used, or only the class of each entry is checked
 */
export function maySee(
  { classes, bits }: Pick<Held, "classes" | "bits">,
  parameters: Parameters,
  isListed = classes.length <= CLASSES_LISTED_MAX,
): string {
  if (classes.length === 0) return "false";
  const held = parameters.add(bits, "bytea");
  const last = parameters.add(bits.length * 8 - 1, "int");
  const isHeld = `CASE WHEN e.class BETWEEN 1 AND ${last} THEN get_bit(${held}, e.class) = 1 ELSE false END`;
  if (!isListed) return isHeld;
  return `e.class = ANY (${parameters.add(numberList(classes), "int[]")}) AND ${isHeld}`;
}

/** Checks the same condition for the class of an entry that was read. */
export function holdsClass({ bits }: Pick<Held, "bits">, entryClass: number): boolean {
  return entryClass >= 1 && ((bits[entryClass >> 3] ?? 0) & (1 << (entryClass & 7))) !== 0;
}

/** Up to this many principals are looked for in the index in addition to words. Each means one more list to read. */
const PRINCIPALS_LISTED_MAX = 64;

/** The most entries that are all read, even those of documents that the person may not see. */
export const FEW_ENTRIES = 500;

/**
 * The entries that a search may find, which are *in scope*: the person may see them, they pass the filters, and they existed at
 * the search's first page.
 */
export class Scope {
  readonly held: Held;
  readonly upTo: number;
  readonly #filters: readonly Filter[];
  readonly #updated: TimeRange | null;
  #principals: readonly number[] | null = null;
  #whole: Scope | null = null;

  /** @param updated whole days */
  constructor(held: Held, filters: readonly Filter[], updated: TimeRange | null, upTo: number) {
    this.held = held;
    this.upTo = upTo;
    this.#filters = filters;
    this.#updated = updated;
  }

  get isFiltered(): boolean {
    return this.#filters.length > 0 || this.#updated !== null;
  }

  /**
   * Returns the same for a person who sees little of what lists of words contain. The index is then also asked which entries have
   * one of the person's principals, so that no others are read. An entry's class still decides whether the person may see it.
   *
   * @param instanceId the person's instance
   */
  sparse(instanceId: number): Scope {
    const scope = new Scope(this.held, this.#filters, this.#updated, this.upTo);
    if (this.held.principals.size > PRINCIPALS_LISTED_MAX) return scope;
    scope.#whole = this;
    scope.#principals = [...this.held.principals].map((principal) => principalToken(instanceId, principal));
    return scope;
  }

  /**
   * Returns the condition of {@link conditionToCheck} without principals, for lists with few entries in all. Reading lists of principals
   * as well, or sending a bit for each class, costs more than reading these entries. So the caller checks their classes.
   *
   * @returns `null` if there are too many entries
   */
  conditionForFew(entries: number, parameters: Parameters): string | null {
    return entries <= FEW_ENTRIES ? (this.#whole ?? this).conditionToCheck(parameters) : null;
  }

  /** Whether lists of words are read without what the person may not see. */
  get isListed(): boolean {
    return this.#principals !== null;
  }

  /** Returns the condition that entries `e` have to meet. */
  condition(parameters: Parameters): string {
    return this.#condition(maySee(this.held, parameters), parameters);
  }

  /**
   * Returns the same for a statement that reads one list of words after another. It is planned without a list's words, so it
   * could otherwise read everything that the person may see for each of them.
   */
  conditionInLists(parameters: Parameters): string {
    const isSeen = this.#condition(maySee(this.held, parameters, false), parameters);
    return this.#principals === null
      ? isSeen
      : `e.tokens && ${parameters.add(numberList(this.#principals), "int[]")} AND ${isSeen}`;
  }

  /**
   * Returns the same without checking what the person may see: {@link holdsClass} has to check that for each entry that is found.
   * The classes of a thousand entries are less to send than a bit for each class.
   */
  conditionToCheck(parameters: Parameters): string {
    const others = this.#condition(null, parameters);
    return this.#principals === null
      ? others
      : `e.tokens && ${parameters.add(numberList(this.#principals), "int[]")} AND ${others}`;
  }

  #condition(isSeen: string | null, parameters: Parameters): string {
    return [
      "e.instance_id = $1",
      ...(isSeen === null ? [] : [isSeen]),
      `e.id <= ${parameters.add(this.upTo, "int")}`,
      ...this.#filters.map((filter) => filterCondition(filter, parameters)),
      ...(this.#updated === null ? [] : [updatedCondition(this.#updated, parameters)]),
    ].join(" AND ");
  }
}

function filterCondition(filter: Filter, parameters: Parameters): string {
  const condition =
    "kinds" in filter
      ? `e.kind = ANY (${parameters.add(numberList(filter.kinds), "int[]")})`
      : filter.anyOf.length === 0
        ? "false"
        : `(${filter.anyOf.map((all) => `e.tokens @> ${parameters.add(numberList(all), "int[]")}`).join(" OR ")})`;
  return filter.isUnwanted ? `NOT (${condition})` : condition;
}

function updatedCondition({ from, until }: TimeRange, parameters: Parameters): string {
  const first = parameters.add(Math.max(dayOfSeconds(from ?? 0), 1), "int");
  const end = until === null ? "" : ` AND e.day < ${parameters.add(dayOfSeconds(until), "int")}`;
  return `e.day >= ${first}${end}`;
}
