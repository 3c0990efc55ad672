import type { DocumentDescription, FilterTerm } from "#documents/engine.ts";
import { keyInUse, VALUES_LEFT_OUT } from "#documents/index-rules.ts";
import type { Store } from "#documents/store.ts";
import { indexable, wordsIn } from "#documents/words.ts";
import { foldTerm } from "#protocol/folding.ts";
import { utf8Length } from "#protocol/utf8-length.ts";
import { keysOf } from "./groups.ts";
import type { MetadataKey } from "./metadata.ts";

/**
 * The most bytes that all groups together add to a document. They have to fit into one row of 2 MB with the document's texts, and one
 * response contains a hundred documents.
 */
const METADATA_BYTES_MAX = 128_000;

/** Bytes of each group that don't count: if a pipeline fills a document, others still have room for a few values. */
const OWN_BYTES = 600;

/** A longer text isn't chosen from a list, so it is found only by its words. */
const WHOLE_TEXT_CHARACTERS_MAX = 500;

/** The most filter terms of a document: each is looked up when the document is written. Filters don't find further words. */
const TERMS_MAX = 1000;

/** Values of a group on a document: key id → texts. */
export interface GroupEntries {
  readonly groupId: number;
  readonly entries: Readonly<Record<string, readonly string[]>>;
}

/** A description, and how many bytes each group adds, as values or as text of the index, whichever is more. */
export interface MetadataDescription extends DocumentDescription {
  readonly groupBytes: readonly number[];
}

/**
 * Returns what a document's custom metadata adds to the index with the current keys: values of removed keys and groups add nothing, and
 * those of a key with skip_indexing are found only by filters.
 *
 * @param instead values that are about to replace those of their group
 */
export function description(store: Store, documentId: number, instead?: GroupEntries): MetadataDescription {
  const groupBytes: number[] = [];
  const texts: string[] = [];
  const all = new Map<string, FilterTerm>();
  for (const { groupId, entries } of groupsOf(store, documentId, instead)) {
    let bytes = 0;
    for (const key of keysOf(store, groupId)) {
      const values = entries[key.id];
      if (!values) continue;
      const indexed = key.skipIndexing ? [] : values.map(indexable);
      bytes += Math.max(utf8Length(values.join("")), utf8Length(indexed.join("\n")));
      texts.push(...indexed);
      for (const term of termsOf(key, values)) {
        const kept = all.size < TERMS_MAX ? term : VALUES_LEFT_OUT;
        all.set(kept.join(" "), kept);
      }
    }
    groupBytes.push(bytes);
  }
  // One line each, so that no phrase spans two values.
  return { words: texts.join("\n"), terms: [...all.values()], groupBytes };
}

/** Checks whether all groups add more than a document may have, which is at most 158,000 bytes for 50 groups. */
export function isTooLarge({ groupBytes }: MetadataDescription): boolean {
  return groupBytes.reduce((sum, bytes) => sum + Math.max(bytes - OWN_BYTES, 0), 0) > METADATA_BYTES_MAX;
}

function termsOf({ id, propertyType: type }: MetadataKey, values: readonly string[]): FilterTerm[] {
  const isText = type === "TEXT" || type === "TEXTLIST";
  const wholes = values.map(foldTerm).filter((value) => !isText || value.length <= WHOLE_TEXT_CHARACTERS_MAX);
  return [
    ...(values.length === 0 ? [] : [keyInUse(id)]),
    ...wholes.map((value) => [`k${id}`, value] as const),
    ...(isText ? values.flatMap(wordsIn).map((word) => [`w${id}`, word] as const) : []),
  ];
}

/** Returns the values of groups in the order of their ids, with those of one group replaced. */
function groupsOf(store: Store, documentId: number, instead?: GroupEntries): GroupEntries[] {
  const stored = store.exec<{ group_id: number; entries: string }>(
    "SELECT group_id, entries FROM document_metadata WHERE document_id = ?1",
    documentId,
  );
  const others = stored
    .filter(({ group_id }) => group_id !== instead?.groupId)
    .map((row) => ({ groupId: row.group_id, entries: JSON.parse(row.entries) as GroupEntries["entries"] }));
  return [...others, ...(instead ? [instead] : [])].sort((one, other) => one.groupId - other.groupId);
}
