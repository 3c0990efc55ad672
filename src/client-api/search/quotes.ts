import type { SearchClause } from "#documents/engine.ts";

/** Before a position of a search without its quotes. */
const WITHOUT_QUOTES = "unquoted:";

/** A question has at least so many words beside its quotes. With fewer, the quotes are the search, and mean what they say. */
const OTHER_WORDS_MIN = 3;

/** Whether quotes stand in a question: people quote names and titles there. Who leaves words out knows what quotes do. */
export function mayLoseQuotes(clauses: readonly SearchClause[]): boolean {
  const others = clauses.filter((clause) => isWanted(clause) && !isQuoted(clause));
  return clauses.some(isQuoted) && others.length >= OTHER_WORDS_MIN && !clauses.some(({ isUnwanted }) => isUnwanted);
}

/** The same search, in which words in quotes count like others, and more where they are in a row. */
export function withoutQuotes(clauses: readonly SearchClause[]): SearchClause[] {
  return clauses.map((clause) =>
    clause.text !== null && isQuoted(clause) ? { ...clause, text: { ...clause.text, isQuoted: false } } : clause,
  );
}

/** What stood in quotes, folded. */
export function quotedIn(clauses: readonly SearchClause[]): string[] {
  return clauses.filter(isQuoted).map(({ text }) => text?.words.join(" ") ?? "");
}

export function positionWithoutQuotes(position: string): string {
  return WITHOUT_QUOTES + position;
}

/** `null`: the position is of a search with its quotes. */
export function readPositionWithoutQuotes(position: string): string | null {
  return position.startsWith(WITHOUT_QUOTES) ? position.slice(WITHOUT_QUOTES.length) : null;
}

function isWanted({ text, filter, isUnwanted }: SearchClause): boolean {
  return text !== null && filter === null && !isUnwanted && text.words.length > 0;
}

function isQuoted(clause: SearchClause): boolean {
  return isWanted(clause) && clause.text?.isQuoted === true;
}
