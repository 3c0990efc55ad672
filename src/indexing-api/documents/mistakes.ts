import type { IndexableDocument } from "#documents/engine.ts";
import { wordsIn } from "#documents/words.ts";
import type { Warning } from "#platform/members.ts";

/** Characters in which a text shows what it is. */
const LOOKED_AT = 2000;

/** The beginnings of files that are no text, as pipelines send them by mistake. */
const FILES: readonly (readonly [RegExp, string])[] = [
  [/^%PDF-/, "a PDF file"],
  [/^PK\W?[\s\S]{0,40}\ufffd/, "a ZIP file, such as a Word or Excel file"],
  [/^[A-Za-z0-9+/]{200}/, "base64"],
];

/** Returns what is probably a mistake in documents that are accepted as they are. */
export function mistakesIn(documents: readonly IndexableDocument[], list: { at(index: number): string }): Warning[] {
  const warnings: Warning[] = [];
  const unseen = documents.flatMap(({ principals }, index) => (principals.length === 0 ? [index] : []));
  const [first] = unseen;
  if (first !== undefined) {
    const message = `Nobody can see ${unseen.length === 1 ? "this document" : `${unseen.length} documents, of which this is the first`}: the permissions name nobody`;
    warnings.push({ path: `${list.at(first)}.permissions`, message });
  }
  const latest = new Map<string, number>();
  for (const [index, { datasource, externalId, body }] of documents.entries()) {
    const name = JSON.stringify([datasource, externalId]);
    const earlier = latest.get(name);
    if (earlier !== undefined) {
      warnings.push({ path: `${list.at(index)}.id`, message: `${list.at(earlier)} has the same id, and is replaced` });
    }
    latest.set(name, index);
    const message = mistakeIn(body);
    if (message !== undefined) warnings.push({ path: `${list.at(index)}.body`, message });
  }
  return warnings;
}

function mistakeIn(body: string): string | undefined {
  const beginning = body.slice(0, LOOKED_AT).trimStart();
  const file = FILES.find(([pattern]) => pattern.test(beginning))?.[1];
  if (file !== undefined) return `This looks like ${file}: send its text, or push it with npm run push (docs/push.md)`;
  if (body === "" || wordsIn(beginning).length > 0) return undefined;
  return body.length <= LOOKED_AT || wordsIn(body).length === 0
    ? "This has no words that a search could find"
    : undefined;
}
