import { rowsOf, runBatch } from "#platform/d1.ts";
import type { DocumentName, DocumentValuesStore, KeyValues, ValuesRefusal } from "./document-values.ts";
import { REFRESH_METADATA_COLUMNS } from "./metadata-columns.sql.ts";
import type { GroupName } from "./names.ts";

/** A longer text is nobody's choice of a list: it is found by its words. */
const WHOLE_TEXT_CHARACTERS_MAX = 500;

interface Verdict {
  readonly documents: number;
  readonly group_id: number | null;
  readonly unknown_key: string | null;
  readonly wrong_key: string | null;
  readonly wrong_type: string | null;
  readonly is_allowed: number;
}

/**
 * Whether the document may get these values, decided where they are written: every statement of the batch asks again, and none
 * of them changes the answer, so no schema can change between the check and the write.
 *
 * `sources` walks the datasources one by one along the index, so that an id without its datasource costs one look-up in each.
 *
 * Takes ?1, the instance's id, ?2 to ?4, the document's whole name, datasource and id, ?5, the group's folded name, ?6, the values,
 * ?7, their bytes, and ?8, how many those of all groups may have. Gives the tables `given`, `candidates`, `own`, `fitting`,
 * `unknown`, `wrong` and `allowed`, which has the document and the group when nothing stands against it.
 */
const JUDGEMENT = `
  sources (name) AS (
    SELECT min(datasource) FROM documents WHERE instance_id = ?1
    UNION ALL
    SELECT (SELECT min(datasource) FROM documents WHERE instance_id = ?1 AND datasource > s.name)
    FROM sources s WHERE s.name IS NOT NULL),
  named AS (SELECT id FROM documents WHERE instance_id = ?1 AND datasource = ?3 AND external_id = ?4),
  candidates AS (
    SELECT id FROM named
    UNION ALL
    SELECT d.id FROM sources s
    CROSS JOIN documents d ON d.instance_id = ?1 AND d.datasource = s.name AND d.external_id = ?2
    WHERE NOT EXISTS (SELECT 1 FROM named)),
  own AS (SELECT id, version FROM metadata_groups WHERE instance_id = ?1 AND name = ?5),
  given AS (
    SELECT value ->> 'name' AS name, value ->> 'display' AS display, value ->> 'isList' AS is_list, value -> 'values' AS shown,
      value ->> 'text' AS text, value -> 'wholes' AS wholes, value -> 'words' AS words FROM json_each(?6)),
  fitting AS (
    SELECT k.id, k.property_type, g.shown, g.text, g.wholes, g.words
    FROM own CROSS JOIN given g CROSS JOIN metadata_keys k ON k.group_id = own.id AND k.name = g.name
    WHERE g.is_list = (k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'))),
  unknown AS (
    SELECT g.display FROM own CROSS JOIN given g
    WHERE NOT EXISTS (SELECT 1 FROM metadata_keys k WHERE k.group_id = own.id AND k.name = g.name)),
  wrong AS (
    SELECT g.display, k.property_type
    FROM own CROSS JOIN given g CROSS JOIN metadata_keys k ON k.group_id = own.id AND k.name = g.name
    WHERE g.is_list <> (k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'))),
  allowed AS (
    SELECT d.id AS document_id, own.id AS group_id, own.version
    FROM (SELECT min(id) AS id FROM candidates HAVING count(*) = 1) d CROSS JOIN own
    WHERE NOT EXISTS (SELECT 1 FROM unknown) AND NOT EXISTS (SELECT 1 FROM wrong)
      AND (?7 = 0 OR ?8 >= ?7 + COALESCE((
        SELECT sum(octet_length(m.words) + octet_length(m.filters)) FROM document_metadata m
        WHERE m.document_id = d.id AND m.group_id <> own.id), 0)))`;

/** What the values can be filtered by: whole, and texts by their words too. */
const TERMS = `
  terms (key_id, field, value) AS (
    SELECT f.id, 'k' || f.id, w.value FROM fitting f CROSS JOIN json_each(f.wholes) w
    WHERE f.property_type IN ('PICKLIST', 'MULTIPICKLIST') OR length(w.value) <= ${WHOLE_TEXT_CHARACTERS_MAX}
    UNION ALL
    SELECT f.id, 'w' || f.id, w.value FROM fitting f CROSS JOIN json_each(f.words) w
    WHERE f.property_type IN ('TEXT', 'TEXTLIST'))`;

export class D1DocumentValues implements DocumentValuesStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async replace(
    instanceId: number,
    document: DocumentName,
    group: GroupName,
    values: readonly KeyValues[],
    bytes: number,
    bytesMax: number,
  ): Promise<ValuesRefusal | undefined> {
    const given = values.filter((entry) => entry.values.length > 0);
    const { whole, datasource, externalId } = document;
    const judged = (statement: string, tables = "") =>
      this.#database
        .prepare(`WITH RECURSIVE ${JUDGEMENT}${tables === "" ? "" : `, ${tables}`} ${statement}`)
        .bind(instanceId, whole, datasource, externalId, group.folded, JSON.stringify(values), bytes, bytesMax);
    const results = await runBatch(this.#database, [
      judged(
        `SELECT (SELECT count(*) FROM candidates) AS documents, (SELECT id FROM own) AS group_id,
           (SELECT display FROM unknown LIMIT 1) AS unknown_key, (SELECT display FROM wrong LIMIT 1) AS wrong_key,
           (SELECT property_type FROM wrong LIMIT 1) AS wrong_type, EXISTS (SELECT 1 FROM allowed) AS is_allowed`,
      ),
      judged(
        `DELETE FROM document_metadata
         WHERE document_id = (SELECT document_id FROM allowed) AND group_id = (SELECT group_id FROM allowed)`,
      ),
      ...(given.length === 0
        ? []
        : [
            judged(
              `INSERT INTO filter_terms (instance_id, field, value)
               SELECT ?1, t.field, t.value FROM allowed CROSS JOIN terms t WHERE true ON CONFLICT DO NOTHING`,
              TERMS,
            ),
            judged(
              `INSERT INTO document_metadata (document_id, group_id, entries, words, filters, version)
               SELECT document_id, group_id,
                 (SELECT json_group_object(CAST(id AS TEXT), json(shown)) FROM fitting WHERE shown <> '[]'),
                 (SELECT json_group_object(CAST(id AS TEXT), text) FROM fitting WHERE shown <> '[]'),
                 (SELECT json_group_object(CAST(key_id AS TEXT), filters) FROM (
                    SELECT t.key_id, group_concat('f' || f.id, ' ') AS filters FROM terms t
                    CROSS JOIN filter_terms f ON f.instance_id = ?1 AND f.field = t.field AND f.value = t.value
                    GROUP BY t.key_id)),
                 version
               FROM allowed`,
              TERMS,
            ),
          ]),
      judged(`${REFRESH_METADATA_COLUMNS} WHERE id = (SELECT document_id FROM allowed)`),
    ]);
    return refusalOf(rowsOf<Verdict>(results, 0)[0]);
  }
}

function refusalOf(verdict: Verdict | undefined): ValuesRefusal | undefined {
  if (!verdict || verdict.is_allowed === 1) return undefined;
  if (verdict.group_id === null) return { kind: "no_group" };
  if (verdict.documents !== 1) return { kind: verdict.documents === 0 ? "no_document" : "several_documents" };
  if (verdict.unknown_key !== null) return { kind: "unknown_key", key: verdict.unknown_key };
  if (verdict.wrong_key !== null) {
    return {
      kind: "wrong_type",
      key: verdict.wrong_key,
      isListKey: verdict.wrong_type?.endsWith("LIST") === true && verdict.wrong_type !== "PICKLIST",
    };
  }
  return { kind: "too_large" };
}
