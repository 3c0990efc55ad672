import type { DescribedDocument, Excerpt, FoundDocument, Likeness } from "#documents/engine.ts";
import { isNearlySame, sketchHash } from "#documents/sketches.ts";
import { type ExcerptTerms, hitsIn } from "./hits.ts";

/** Returns by what a found document is recognized as a copy of another. */
export function likenessOf(
  { datasource, title }: Pick<DescribedDocument, "datasource" | "title">,
  excerpt: Excerpt,
  sought: ExcerptTerms,
  sketch: ArrayLike<number> = [],
): Likeness {
  if (sketch.length === 0) return { datasource, passage: 0, sketch: [] };
  const { shown, hits } = hitsIn(title, sought);
  const parts = [excerpt.text, ...hits.map(({ start, end }) => shown.slice(start, end))];
  const folded = parts.map((part) => part.toLowerCase().replaceAll(/\s+/g, " ").trim());
  return { datasource, passage: sketchHash(folded.join("\n")), sketch: Array.from(sketch) };
}

/**
 * Checks whether documents are copies: nearly the same as wholes, and the same in what the search asks for. A page about Berlin that says
 * 28 days, and one about Munich that says 30, are not. Neither are documents of different datasources: whoever may write to one must not be
 * able to hide a document of another behind a copy that differs where nobody looks.
 */
export function areCopies(one: Likeness | undefined, other: Likeness | undefined): boolean {
  return (
    one !== undefined &&
    one.passage === other?.passage &&
    one.datasource === other.datasource &&
    isNearlySame(one.sketch, other.sketch)
  );
}

/** Returns one document with others that turned out to be copies of it. */
export function withCopy(one: FoundDocument, other: FoundDocument): FoundDocument {
  return { ...one, copies: (one.copies ?? 0) + 1 + (other.copies ?? 0) };
}
