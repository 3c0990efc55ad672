import type { CustomValue, DescribedDocument, Excerpt, FoundDocument, Likeness } from "#documents/engine.ts";
import { INDEXED_CHARACTERS_MAX } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import { type Anchors, sectionOf } from "#documents/anchors.ts";
import { readable } from "#documents/words.ts";
import { bestStretch } from "./best-stretch.ts";
import { excerptOf, withoutTitle } from "./excerpt.ts";
import type { ExcerptTerms } from "./hits.ts";
import { likenessOf } from "./likeness.ts";

/** The most characters of the bodies of a page's documents that are searched for the best passages. */
const LOOKED_THROUGH_CHARACTERS = 1_500_000;

/** Returns how many characters of each document of a page are searched. */
function beginningToLookThrough(documents: number): number {
  return Math.min(INDEXED_CHARACTERS_MAX, Math.floor(LOOKED_THROUGH_CHARACTERS / Math.max(documents, 1)));
}

/** The columns of a described document, under the names of its properties. */
export const DESCRIBED_COLUMNS = `d.datasource, d.external_id AS externalId, d.object_type AS objectType, d.title, d.url,
  d.author_name AS authorName, d.author_email AS authorEmail, d.created_at AS createdAt, d.updated_at AS updatedAt`;

/**
 * A document's custom metadata for people: a JSON array of `{ key, isList, values }`, with the key being group and key as they were
 * first written. Values of keys and groups that were removed are left out.
 */
export const CUSTOM_DATA = `(SELECT json_group_array(json_object('key', g.display_name || k.display_name,
    'isList', json(iif(k.property_type IN ('TEXTLIST', 'MULTIPICKLIST'), 'true', 'false')), 'values', json(v.value)))
  FROM document_metadata m CROSS JOIN json_each(m.entries) v
  CROSS JOIN metadata_keys k ON k.id = CAST(v.key AS INTEGER) AND k.group_id = m.group_id
  CROSS JOIN metadata_groups g ON g.id = m.group_id WHERE m.document_id = d.id)`;

interface Row extends Omit<DescribedDocument, "customData"> {
  readonly id: number;
  /** JSON. */
  readonly customData: string;
  readonly beginning: string;
  /** JSON. */
  readonly anchors: string | null;
}

/** Returns what people read of documents, in the order of the rows. */
export function readPage(
  store: Store,
  rows: readonly number[],
  sought: ExcerptTerms,
  characters: number,
  textCharacters: number,
  more: (
    row: number,
    document: DescribedDocument,
    excerpt: Excerpt,
  ) => Pick<FoundDocument, "copies" | "likeness"> = () => ({}),
): FoundDocument[] {
  return store
    .exec<Row>(
      `SELECT d.id, ${DESCRIBED_COLUMNS}, ${CUSTOM_DATA} AS customData, d.anchors, substr(d.body, 1, ?2) AS beginning
       FROM json_each(?1) p CROSS JOIN documents d ON d.id = p.value`,
      JSON.stringify(rows),
      beginningToLookThrough(rows.length),
    )
    .map(({ id, beginning, customData, anchors: stored, ...document }) => {
      const excerpt = excerptOf(withoutTitle(beginning, document.title), sought, characters);
      const anchors = JSON.parse(stored ?? "[]") as Anchors;
      const described = { ...document, customData: JSON.parse(customData) as CustomValue[], excerpt };
      const found = { ...described, ...more(id, described, excerpt) };
      const whole = anchors.length > 0 || textCharacters > 0 ? readable(beginning) : "";
      const section = sectionOf(whole, anchors, excerpt.text);
      if (textCharacters === 0) return { ...found, section };
      const text = readable(bestStretch(beginning, sought, characters, textCharacters));
      const start = text.length === whole.length ? 0 : whole.indexOf(text);
      return { ...found, section, text, anchors: anchors.map(([at, fragment]) => [at - start, fragment] as const) };
    });
}

/** Returns by what documents are recognized as copies. */
export function likenessesOf(
  store: Store,
  rows: readonly number[],
  sought: ExcerptTerms,
  characters: number,
  sketchOf: (row: number) => ArrayLike<number>,
): ReadonlyMap<number, Likeness> {
  const read = store.exec<Pick<Row, "id" | "datasource" | "title" | "beginning">>(
    `SELECT d.id, d.datasource, d.title, substr(d.body, 1, ?2) AS beginning FROM json_each(?1) p CROSS JOIN documents d ON d.id = p.value`,
    JSON.stringify(rows),
    beginningToLookThrough(rows.length),
  );
  return new Map(
    read.map(({ id, beginning, ...document }) => [
      id,
      likenessOf(
        document,
        excerptOf(withoutTitle(beginning, document.title), sought, characters),
        sought,
        sketchOf(id),
      ),
    ]),
  );
}
