/** A person types a few words; this is far beyond any of them and keeps the index's work bounded. */
const TERMS_MAX = 32;

/** What a typed query asks for. Every term is words only: letters, digits and marks, with single spaces between them. */
export interface ParsedQuery {
  /** Terms that a document must have; several words are a phrase. */
  readonly wanted: readonly string[];
  /** Terms that it must not have. */
  readonly unwanted: readonly string[];
}

/** Cuts a typed query into terms: words, `"exact phrases"`, and `-unwanted` ones of either kind. */
export function parseQuery(text: string): ParsedQuery {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const [, minus, phrase, word] of text.matchAll(/(?<=^|\s)(-?)(?:"([^"]*)"?|(\S+))/gu)) {
    const term = wordsOf(phrase ?? word ?? "");
    if (term === "") continue;
    (minus === "-" ? unwanted : wanted).push(term);
    if (wanted.length + unwanted.length >= TERMS_MAX) break;
  }
  return { wanted, unwanted };
}

/**
 * The part of an FTS5 expression that the person's words make, held to the columns that hold text. Only words in quotes get in:
 * an operator, column name or quote of the person's would let a query leave the columns and read by permission instead.
 *
 * @returns `undefined` when nothing is wanted
 */
export function toMatchExpression({ wanted, unwanted }: ParsedQuery): string | undefined {
  if (wanted.length === 0) return undefined;
  const quoted = (term: string) => `"${term}"`;
  const all = wanted.map(quoted).join(" AND ");
  const none = unwanted.length === 0 ? "" : ` NOT (${unwanted.map(quoted).join(" OR ")})`;
  return `{title body} : ((${all})${none})`;
}

function wordsOf(text: string): string {
  return (text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).join(" ");
}
