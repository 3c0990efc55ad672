import { HELD_PRINCIPALS } from "#search-index/held-principals.sql.ts";
import { TEXT_COLUMNS } from "./d1-query.ts";

/** How much one page may read. */
export interface SearchLimits {
  /** Where the rarest word has at most so many matches, all of them are ranked. */
  readonly ranked: number;
  /**
   * bm25 counts the documents of every phrase that it weighs by walking them all, seen by the person or not. So many are walked
   * together; beyond that the commonest words, which decide least, do not rank.
   */
  readonly walked: number;
  /** Where nothing is ranked, one page reads about so many entries of the index: words that never meet are no reason for more. */
  readonly entries: number;
  /** To tell titles from other text, the index reads all entries of every word; of words with more, titles do not come first. */
  readonly titleEntries: number;
}

/** Measured (docs/performance.md): the worst page stays below thirty times the shortest statement. */
export const SEARCH_LIMITS: SearchLimits = {
  ranked: 5000,
  walked: 250_000,
  entries: 60_000,
  titleEntries: 100_000,
};

/** A stripe has 2 to the power of so many rows (`schema.sql`). */
const STRIPE_BITS = 15;

/** A phrase costs so many entries: it compares positions. A time does, too: it is read from the document. */
const PHRASE_ENTRIES = 4;
const TIME_ENTRIES = 10;

/** How many completions of the beginning of a long word are looked for. */
const COMPLETIONS_MAX = 32;

/** No document holds the principal 0. */
export const NOTHING = "acl : p0";

/**
 * How a search is carried out, decided in the statement that searches, from what the index says about its words. All of what a
 * person typed comes as a parameter and is in quotes; ids are looked up here.
 *
 * Takes ?1, the instance's id; ?2, the person's; ?3, JSON `{ clauses, beginning, updated }`; ?4, the position, JSON.
 * Gives
 * - `expression`: `everything` that matches and the person may see; `titles`, the same by title alone; `rest`, the former without the
 *   latter; `ranking`, the words that rank; `texts`, all words, for excerpts. Where there is nothing to look for, {@link NOTHING}.
 * - `plan`: the mode, the snapshot and the window, as a `Position` has them. Where the rarest part, permissions or a filter, was
 *   counted to its end, the window is everything: a window by that count would say, by whether there is a next page, how many
 *   documents hold a value that the person may not see.
 */
export function planSql(limits: SearchLimits): string {
  return `
  ${HELD_PRINCIPALS},
  position (value) AS MATERIALIZED (SELECT ?4),
  snapshot (row) AS MATERIALIZED (
    SELECT COALESCE((SELECT value ->> 'snapshot' FROM position), (SELECT max(id) FROM documents), 0)
  ),
  completion (word, at) AS (
    SELECT (SELECT term FROM documents_words WHERE term >= ?3 ->> 'beginning' LIMIT 1), 1 WHERE ?3 ->> 'beginning' IS NOT NULL
    UNION ALL
    SELECT (SELECT term FROM documents_words WHERE term >= c.word || char(1) LIMIT 1), c.at + 1 FROM completion c
    WHERE substr(c.word, 1, length(?3 ->> 'beginning')) = ?3 ->> 'beginning' AND c.at < ${COMPLETIONS_MAX}
  ),
  completed (match) AS MATERIALIZED (
    SELECT group_concat('"' || word || '"', ' OR ') FROM completion
    WHERE substr(word, 1, length(?3 ->> 'beginning')) = ?3 ->> 'beginning'
  ),
  asked (at, unwanted, text, filter, field, built_in) AS MATERIALIZED (
    SELECT key, value ->> 'isUnwanted', value -> 'text', value -> 'filter', value ->> '$.filter.field', value ->> '$.filter.isBuiltIn'
    FROM json_each(?3, '$.clauses')
  ),
  resolved (at, unwanted, text, filter) AS MATERIALIZED (
    SELECT a.at, a.unwanted, a.text, CASE
      WHEN a.built_in THEN 'filters : (' || (
        SELECT group_concat(COALESCE((SELECT 'f' || t.id FROM filter_terms t
          WHERE t.instance_id = ?1 AND t.field = a.field AND t.value = v.value ->> 'whole'), 'f0'), ' OR ')
        FROM json_each(a.filter, '$.values') v) || ')'
      WHEN k.property_type IN ('PICKLIST', 'MULTIPICKLIST') THEN 'metadata_filters : (' || (
        SELECT group_concat(COALESCE((SELECT 'f' || t.id FROM filter_terms t
          WHERE t.instance_id = ?1 AND t.field = 'k' || k.id AND t.value = v.value ->> 'whole'), 'f0'), ' OR ')
        FROM json_each(a.filter, '$.values') v) || ')'
      WHEN k.id IS NOT NULL THEN 'metadata_filters : (' || (
        SELECT group_concat('(' || COALESCE((
          SELECT group_concat(COALESCE((SELECT 'f' || t.id FROM filter_terms t
            WHERE t.instance_id = ?1 AND t.field = 'w' || k.id AND t.value = w.value), 'f0'), ' AND ')
          FROM json_each(v.value, '$.words') w), 'f0') || ')', ' OR ')
        FROM json_each(a.filter, '$.values') v) || ')'
      END
    FROM asked a LEFT JOIN metadata_keys k ON k.instance_id = ?1 AND k.facet_name = a.field AND NOT a.built_in
  ),
  clause (at, unwanted, is_text, is_phrase, match, ranking, probes) AS MATERIALIZED (
    SELECT at, unwanted, 0, 0, filter, NULL, json_array(filter) FROM resolved WHERE filter IS NOT NULL
    UNION ALL
    SELECT at, unwanted, 1, text ->> 'isPhrase', text ->> 'match', text ->> 'ranking', text -> 'probes'
    FROM resolved WHERE filter IS NULL AND text ->> 'match' IS NOT NULL AND text ->> 'beginning' IS NULL
    UNION ALL
    SELECT r.at, r.unwanted, 1, 0, c.match, '${TEXT_COLUMNS} : (' || c.match || ')',
      json_array('${TEXT_COLUMNS} : (' || c.match || ')')
    FROM resolved r, (SELECT r.text ->> 'match' || COALESCE(' OR ' || (SELECT match FROM completed), '') AS match
      FROM resolved r WHERE r.text ->> 'beginning' IS NOT NULL) c
    WHERE r.filter IS NULL AND r.text ->> 'beginning' IS NOT NULL
  ),
  allowed (match) AS MATERIALIZED (
    SELECT 'acl : (' || COALESCE((SELECT group_concat('p' || id, ' OR ') FROM (SELECT DISTINCT id FROM held)), 'p0') || ')'
  ),
  probed (at, is_text, counted) AS MATERIALIZED (
    SELECT p.at, p.is_text, (
      SELECT json_array(count(*), min(id)) FROM (
        SELECT rowid AS id FROM documents_fts
        WHERE documents_fts MATCH p.match AND rowid <= (SELECT row FROM snapshot)
        ORDER BY rowid DESC LIMIT ${limits.ranked} + 1))
    FROM (
      SELECT c.at, c.is_text, e.value AS match FROM clause c CROSS JOIN json_each(c.probes) e WHERE NOT c.unwanted
      UNION ALL SELECT -1, 0, match FROM allowed
    ) p
  ),
  rarity (at, is_text, matches) AS MATERIALIZED (
    SELECT at, is_text, min(CASE
      WHEN counted ->> 0 <= ${limits.ranked} THEN counted ->> 0
      ELSE (counted ->> 0) * 1.0 * s.row / (s.row - (counted ->> 1) + 1) END)
    FROM probed, snapshot s GROUP BY at
  ),
  plan (mode, snapshot, high, low, phase, before, last, place) AS MATERIALIZED (
    SELECT mode, snapshot, high,
      COALESCE(value ->> 'low', iif(rarest <= ${limits.ranked}, 0, NULL), max(0, (
        (high - CAST(${limits.entries} * 1.0 * snapshot / max(1, entries) AS INTEGER)) >> ${STRIPE_BITS} << ${STRIPE_BITS}) - 1)),
      COALESCE(value ->> 'phase', iif(title_entries <= ${limits.titleEntries}, 'titles', 'all')),
      COALESCE(value ->> 'before', snapshot + 1),
      value ->> 'last', COALESCE(value ->> 'place', 0)
    FROM (
      SELECT p.value, s.row AS snapshot, COALESCE(p.value ->> 'high', s.row) AS high,
        COALESCE(p.value ->> 'mode', CASE
          WHEN (SELECT min(matches) FROM rarity WHERE is_text) <= ${limits.ranked} THEN 'ranked' ELSE 'newest' END) AS mode,
        (SELECT min(matches) FROM rarity) AS rarest,
        (SELECT min(matches) * max(1.0, count(*) / 4.0) FROM rarity)
          * CASE WHEN EXISTS (SELECT 1 FROM clause WHERE is_phrase) THEN ${PHRASE_ENTRIES} ELSE 1 END
          * CASE WHEN ?3 ->> 'updated' IS NOT NULL THEN ${TIME_ENTRIES} ELSE 1 END AS entries,
        (SELECT total(matches) FROM rarity WHERE is_text) AS title_entries
      FROM position p, snapshot s
    )
  ),
  stripe (at) AS (
    SELECT low + 1 >> ${STRIPE_BITS} FROM plan WHERE mode = 'newest' AND low > 0
    UNION ALL SELECT at + 1 FROM stripe, plan WHERE at < high >> ${STRIPE_BITS}
  ),
  part (texts, filters, without, ranking) AS MATERIALIZED (
    SELECT
      (SELECT group_concat(match, ' AND ') FROM clause WHERE is_text AND NOT unwanted),
      (SELECT group_concat(match, ' AND ') FROM (
        SELECT match FROM clause WHERE NOT is_text AND NOT unwanted
        UNION ALL SELECT match FROM allowed
        UNION ALL SELECT 'stripe : (' || group_concat('s' || at, ' OR ') || ')' FROM stripe HAVING count(*) > 0)),
      (SELECT group_concat(CASE WHEN is_text THEN '${TEXT_COLUMNS} : ' || match ELSE match END, ' OR ')
       FROM clause WHERE unwanted),
      (SELECT group_concat(ranking, ' AND ') FROM (
        SELECT c.ranking, sum(r.matches) OVER (ORDER BY r.matches, c.at) AS walked,
          row_number() OVER (ORDER BY r.matches, c.at) AS nth
        FROM clause c JOIN rarity r ON r.at = c.at WHERE c.is_text AND NOT c.unwanted)
       WHERE walked <= ${limits.walked} OR nth = 1)
  ),
  expression (everything, titles, rest, ranking, texts) AS MATERIALIZED (
    SELECT
      iif(is_empty, '${NOTHING}', '(' || concat_ws(' AND ', texts, filters) || ')' || COALESCE(' NOT (' || without || ')', '')),
      iif(is_empty OR titles IS NULL, '${NOTHING}',
        '(' || titles || ' AND ' || filters || ')' || COALESCE(' NOT (' || without || ')', '')),
      iif(is_empty, '${NOTHING}', '(' || concat_ws(' AND ', texts, filters) || ')'
        || COALESCE(' NOT (' || NULLIF(concat_ws(' OR ', titles, without), '') || ')', '')),
      COALESCE(ranking, '${NOTHING}'), COALESCE(texts, '${NOTHING}')
    FROM (
      SELECT '${TEXT_COLUMNS} : (' || texts || ')' AS texts, '{title} : (' || texts || ')' AS titles, filters, without, ranking,
        ?3 ->> 'updated' IS NULL AND NOT EXISTS (SELECT 1 FROM clause WHERE NOT unwanted) AS is_empty
      FROM part
    )
  )`;
}
