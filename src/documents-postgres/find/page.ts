import type { CustomValue, DescribedDocument, FoundDocument } from "#documents/engine.ts";
import { excerptOf, withoutTitle } from "#documents/find/excerpt.ts";
import type { ExcerptTerms } from "#documents/find/hits.ts";
import { beginningToLookThrough } from "#documents/find/page.ts";
import { numberList, type Rows } from "#documents-postgres/database.ts";

/** The columns of a `DescribedDocument`, by its names. */
export const DESCRIBED_COLUMNS = `d.datasource, d.external_id AS "externalId", d.object_type AS "objectType", d.title, d.url,
  d.author_name AS "authorName", d.author_email AS "authorEmail", d.created_at AS "createdAt", d.updated_at AS "updatedAt"`;

/** A document's custom metadata, as people read it. Values of keys and groups that no longer exist are left out. */
export const CUSTOM_DATA = `coalesce((SELECT json_agg(json_build_object('key', g.display_name || k.display_name,
    'isList', k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'), 'values', v.value) ORDER BY m.group_id)
  FROM document_metadata m CROSS JOIN json_each(m.entries) v
  JOIN metadata_keys k ON k.instance_id = $1 AND k.id = v.key::int AND k.group_id = m.group_id
  JOIN metadata_groups g ON g.instance_id = $1 AND g.id = m.group_id
  WHERE m.instance_id = $1 AND m.document_id = d.id), '[]'::json)`;

interface Row extends Omit<DescribedDocument, "customData"> {
  readonly customData: readonly CustomValue[];
  readonly beginning: string;
}

/** Returns what people read of documents, in the order of the ids. */
export async function readPage(
  rows: Rows,
  ids: readonly number[],
  sought: ExcerptTerms,
  characters: number,
): Promise<FoundDocument[]> {
  if (ids.length === 0) return [];
  const found = await rows.byKey<Row>(
    `SELECT ${DESCRIBED_COLUMNS}, ${CUSTOM_DATA} AS "customData", left(d.body, $3) AS beginning
     FROM unnest($2::int[]) WITH ORDINALITY AS p (id, at) JOIN documents d ON d.instance_id = $1 AND d.id = p.id ORDER BY p.at`,
    numberList(ids),
    beginningToLookThrough(ids.length),
  );
  return found.map(({ beginning, ...document }) => ({
    ...document,
    excerpt: excerptOf(withoutTitle(beginning, document.title), sought, characters),
  }));
}
