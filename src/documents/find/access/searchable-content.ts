import type { ContentCondition } from "#documents/engine.ts";
import { BLOCK_DOCUMENTS, OBJECT_TYPES_MAX, VALUES_LEFT_OUT } from "#documents/index-rules.ts";
import { numbersOf } from "#documents/find/collect/rows.ts";
import { allOf, anyOf, type Filter, kindsOf, resolveBuiltIn } from "#documents/find/query/question.ts";
import type { Store } from "#documents/store.ts";

/** Checks whether an app may search a document, by its row and its kind. */
export type ContentCheck = (row: number, kind: number) => boolean;

/**
 * Which documents the app of a request may search, whoever it asks for. A set of visible documents leaves out all others, so
 * everything that hides what a person may not see also hides these.
 */
export interface SearchableContent {
  /** Differs whenever the same documents may have to be checked again. */
  readonly version: string;
  /** Returns the check for the documents of a block of doc values. */
  checkOf(block: number): ContentCheck;
}

/**
 * Resolves conditions against what the store has now.
 *
 * @returns `null`: all documents, because there are no conditions
 */
export function searchableContent(store: Store, conditions: readonly ContentCondition[]): SearchableContent | null {
  if (conditions.length === 0) return null;
  const filters = conditions.map((condition) => filterOf(store, condition));
  const version = JSON.stringify(filters);
  // Without its key, nothing says which documents a condition meant, so the app finds none.
  if (!filters.every((filter) => filter !== null)) return { version, checkOf: () => () => false };
  const isOfKind = kindsOf(filters) ?? (() => true);
  return {
    version,
    checkOf(block) {
      const sets = filters.flatMap((filter) =>
        "expression" in filter ? [{ rows: rowsOf(store, filter.expression, block), isLeftOut: filter.isUnwanted }] : [],
      );
      return (row, kind) => isOfKind(kind) && sets.every(({ rows, isLeftOut }) => rows.has(row) !== isLeftOut);
    },
  };
}

/**
 * Returns a condition as a filter; `null`: there is no such key of custom metadata. What must not be found may be among the values and types
 * that no filter finds, so documents with such are left out, too.
 */
function filterOf(store: Store, { field, values, isExcluded: isUnwanted }: ContentCondition): Filter | null {
  const wanted = { field, values: values.map((whole) => ({ whole, words: [] })) };
  const builtIn = resolveBuiltIn(store, wanted, isUnwanted);
  if (builtIn && isUnwanted && field === "type" && "kinds" in builtIn) {
    return { isUnwanted, kinds: [...builtIn.kinds, ...furtherTypes(store)] };
  }
  if (builtIn) return builtIn;
  // While a key moves to another group, both have it.
  const keys = numbersOf(store, "SELECT json_group_array(id) AS rows FROM metadata_keys WHERE facet_name = ?1", field);
  if (keys.length === 0) return null;
  return {
    isUnwanted,
    expression: anyOf([
      ...keys.flatMap((key) => values.map((value) => allOf(store, `k${key}`, [value]))),
      isUnwanted ? allOf(store, VALUES_LEFT_OUT[0], [VALUES_LEFT_OUT[1]]) : null,
    ]),
  };
}

/** Returns the kinds that documents of further types may have. */
function furtherTypes(store: Store): number[] {
  return numbersOf(
    store,
    `SELECT json_group_array(k.id) AS rows FROM kinds k WHERE k.object_type = ''
       AND EXISTS (SELECT 1 FROM kinds o WHERE o.datasource = k.datasource LIMIT 1 OFFSET ${OBJECT_TYPES_MAX - 1})`,
  );
}

/** Returns the rows of a block that an expression finds: all of them, because a limit would let others through. */
function rowsOf(store: Store, expression: string | null, block: number): ReadonlySet<number> {
  if (expression === null) return new Set();
  const first = block * BLOCK_DOCUMENTS;
  return new Set(
    numbersOf(
      store,
      `SELECT json_group_array(rowid) AS rows FROM impacts WHERE impacts MATCH ?1
         AND rowid >= CAST(?2 AS INTEGER) AND rowid < CAST(?3 AS INTEGER)`,
      expression,
      first,
      first + BLOCK_DOCUMENTS,
    ),
  );
}
