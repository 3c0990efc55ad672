import type { SearchClause } from "#documents/engine.ts";

/** Before a position of a search without its quotes. */
const WITHOUT_QUOTES = "unquoted:";

/** Whether a search asks for words in quotes and for others: people quote names and titles in their questions. */
export function mayLoseQuotes(clauses: readonly SearchClause[]): boolean {
  return clauses.some(isQuoted) && clauses.some((clause) => isWanted(clause) && !isQuoted(clause));
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
