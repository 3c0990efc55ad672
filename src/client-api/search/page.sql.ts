import { NOTHING, planSql, type SearchLimits } from "./plan.sql.ts";

/** A word of the title weighs as ten of the body; columns of permissions, filters and stripes weigh nothing. */
const RANK = "bm25(documents_fts, 10.0, 1.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0)";

/** Ranked pages of a search keep all of what they rank, also when a few more matched meanwhile. */
const CANDIDATES_MAX = 10_000;

/** Whether a row of the index was last updated in the time asked for, by an index that holds nothing else: no long text is read. */
const UPDATED_IN_TIME = `(?3 ->> 'updated' IS NULL OR EXISTS (SELECT 1 FROM documents d INDEXED BY documents_by_update
    WHERE d.id = documents_fts.rowid AND d.updated_at >= COALESCE(?3 ->> '$.updated.from', 0)
      AND d.updated_at < COALESCE(?3 ->> '$.updated.until', 9e15)))`;

/** The newest rows of the window that an expression finds, or none where it is not its turn. */
function newest(turn: string, expression: string, before: string): string {
  return `
    SELECT rowid AS id FROM documents_fts
    WHERE documents_fts MATCH (
        SELECT CASE WHEN p.mode = 'newest' AND ${turn} THEN ${expression} ELSE '${NOTHING}' END FROM plan p, expression e)
      AND rowid > (SELECT low FROM plan) AND rowid <= (SELECT min(high, ${before}) FROM plan)
      AND ${UPDATED_IN_TIME}
    ORDER BY rowid DESC LIMIT (SELECT ?5 ->> 'limit')`;
}

/**
 * A page: permissions inside the index, so that it never yields a row which the person may not see.
 *
 * Ranked, the visible rows are found by one expression, with permissions, and weighed by another, of words alone: bm25 counts
 * the documents of every phrase, and of permissions that is the whole index. Otherwise the newest rows of a window come first,
 * those with the words in the title before the others.
 *
 * Takes what {@link planSql} takes; ?5, JSON `{ limit, snippetTokens }`; ?6 and ?7, the marks. The first row is the plan.
 */
export function pageSql(limits: SearchLimits): string {
  return `
  WITH RECURSIVE ${planSql(limits)},
  candidate (id) AS MATERIALIZED (
    SELECT rowid FROM documents_fts
    WHERE documents_fts MATCH (SELECT CASE p.mode WHEN 'ranked' THEN e.everything ELSE '${NOTHING}' END FROM plan p, expression e)
      AND rowid <= (SELECT snapshot FROM plan)
      AND ${UPDATED_IN_TIME}
    LIMIT ${CANDIDATES_MAX}
  ),
  weighed (id, weight) AS MATERIALIZED (
    SELECT rowid, ${RANK} FROM documents_fts
    WHERE documents_fts MATCH (SELECT CASE WHEN EXISTS (SELECT 1 FROM candidate) THEN e.ranking ELSE '${NOTHING}' END FROM expression e)
      AND +rowid IN (SELECT id FROM candidate)
  ),
  ranked (id, place) AS MATERIALIZED (SELECT id, row_number() OVER (ORDER BY weight, id DESC) FROM weighed),
  titled (id) AS MATERIALIZED (${newest("p.phase = 'titles'", "e.titles", "before - 1")}
  ),
  after_titles (phase) AS MATERIALIZED (
    SELECT iif(phase = 'rest' OR phase = 'titles' AND (before <= snapshot OR EXISTS (SELECT 1 FROM titled)), 'rest', 'all') FROM plan
  ),
  page (id, place, phase) AS MATERIALIZED (
    SELECT id, place, phase FROM (
      SELECT id, place, NULL AS phase FROM ranked
      WHERE place > (SELECT COALESCE((SELECT place FROM ranked WHERE id = p.last), max(0, p.place - 1)) FROM plan p)
      ORDER BY place LIMIT (SELECT ?5 ->> 'limit')
    )
    UNION ALL
    SELECT id, place, phase FROM (
      SELECT id, 0 AS place, 'titles' AS phase FROM titled
      UNION ALL
      SELECT id, 0, (SELECT phase FROM after_titles) FROM (${newest(
        "(SELECT count(*) FROM titled) < (SELECT ?5 ->> 'limit')",
        "iif((SELECT phase FROM after_titles) = 'rest', e.rest, e.everything)",
        "iif(phase = 'titles', high, before - 1)",
      )})
      LIMIT (SELECT ?5 ->> 'limit')
    )
  )
  SELECT p.mode, p.snapshot, p.low, p.high, NULL AS id, NULL AS place, NULL AS phase, NULL AS datasource, NULL AS external_id,
    NULL AS object_type, NULL AS title, NULL AS url, NULL AS author_name, NULL AS author_email, NULL AS created_at,
    NULL AS updated_at, NULL AS custom_data, NULL AS snippet
  FROM plan p
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, d.id, p.place, p.phase, d.datasource, d.external_id, d.object_type, d.title, d.url,
    d.author_name, d.author_email, d.created_at, d.updated_at,
    (SELECT json_group_array(json_object('key', g.display_name || k.display_name,
        'isList', json(iif(k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'), 'true', 'false')), 'values', json(v.value)))
      FROM document_metadata m CROSS JOIN json_each(m.entries) v
      CROSS JOIN metadata_keys k ON k.id = v.key AND k.group_id = m.group_id
      CROSS JOIN metadata_groups g ON g.id = m.group_id WHERE m.document_id = d.id),
    COALESCE((SELECT snippet(documents_fts, 1, ?6, ?7, '…', ?5 ->> 'snippetTokens') FROM documents_fts
      WHERE rowid = p.id AND documents_fts MATCH (SELECT texts FROM expression)), substr(d.body, 1, 6 * (?5 ->> 'snippetTokens')))
  FROM page p CROSS JOIN documents d ON d.id = p.id AND d.instance_id = ?1`;
}
