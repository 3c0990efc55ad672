import type { QueryField, SearchClause } from "#documents/engine.ts";
import { type AskedWords, questionOf } from "#documents/find/question.ts";
import type { Language } from "#documents/languages.ts";
import type { WordHash } from "#documents/word-hash.ts";
import { type Rows, textList } from "#documents-postgres/database.ts";
import { termToken } from "#documents-postgres/tokens.ts";

/** The documents that a filter leaves: those of some kinds, or those with all tokens of one of the lists. */
export type Filter = { readonly isUnwanted: boolean } & (
  | { readonly kinds: readonly number[] }
  | { readonly anyOf: readonly (readonly number[])[] }
);

export interface Question extends AskedWords {
  readonly filters: readonly Filter[];
}

interface Key {
  readonly id: number;
  readonly facetName: string;
  readonly isWhole: boolean;
}

/** Resolves fields, and drops the words that only join others, unless they are quoted or nothing else is left. */
export async function readQuestion(
  rows: Rows,
  hash: WordHash,
  clauses: readonly SearchClause[],
  languages: readonly Language[],
): Promise<Question> {
  const fields = clauses.flatMap(({ filter }) => (filter === null ? [] : [filter]));
  const kinds = await kindsOf(rows, fields);
  const keys = await keysOf(rows, fields);
  return questionOf(clauses, languages, (field, isUnwanted): Filter | null => {
    if (isOfKind(field)) return { isUnwanted, kinds: kinds(field) };
    const tokens = (name: string, values: readonly string[]) =>
      values.length === 0 ? [] : [[...new Set(values.map((value) => termToken(rows.instanceId, hash, [name, value])))]];
    if (field.field === "from")
      return { isUnwanted, anyOf: field.values.flatMap(({ whole }) => tokens("from", [whole])) };
    const key = keys.get(field.field);
    if (!key) return null;
    return {
      isUnwanted,
      anyOf: field.values.flatMap(({ whole, words }) =>
        key.isWhole ? tokens(`k${key.id}`, [whole]) : tokens(`w${key.id}`, words),
      ),
    };
  });
}

function isOfKind({ field }: QueryField): boolean {
  return field === "datasource" || field === "type";
}

async function kindsOf(rows: Rows, fields: readonly QueryField[]): Promise<(field: QueryField) => readonly number[]> {
  const asked = fields.filter(isOfKind);
  if (asked.length === 0) return () => [];
  const wholes = textList(asked.flatMap(({ values }) => values.map(({ whole }) => whole)));
  const kinds = await rows.all<{ id: number; datasource: string; type: string }>(
    `SELECT id, datasource, object_type AS type FROM kinds WHERE instance_id = $1
       AND (datasource = ANY ($2::text[]) OR object_type = ANY ($2::text[]))`,
    wholes,
  );
  return ({ field, values }) => {
    const wanted = new Set(values.map(({ whole }) => whole));
    return kinds.filter((kind) => wanted.has(field === "type" ? kind.type : kind.datasource)).map(({ id }) => id);
  };
}

async function keysOf(rows: Rows, fields: readonly QueryField[]): Promise<ReadonlyMap<string, Key>> {
  const names = fields.filter((field) => !isOfKind(field) && field.field !== "from").map(({ field }) => field);
  if (names.length === 0) return new Map();
  const keys = await rows.all<Key>(
    `SELECT id, facet_name AS "facetName", property_type IN ('PICKLIST', 'MULTIPICKLIST') AS "isWhole" FROM metadata_keys
     WHERE instance_id = $1 AND facet_name = ANY ($2::text[]) ORDER BY id`,
    textList(names),
  );
  return new Map(keys.map((key) => [key.facetName, key]));
}
