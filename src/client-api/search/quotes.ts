import type { FoundPage, SearchClause } from "#documents/engine.ts";

/** The prefix of positions in a search without its quotes. */
const WITHOUT_QUOTES = "unquoted:";

/**
 * The fewest words that a question has outside its quotes. With fewer, the quotes are the search, and are taken literally.
 */
const OTHER_WORDS_MIN = 3;

/** Asks the engine for a page from a position. */
type FindPage = (clauses: readonly SearchClause[], position: string | null) => Promise<FoundPage>;

/**
 * Finds a page. If no document has what a question quotes, the quoted words count like others (more if they are in a row), and
 * the response names them as missing. The positions of such a page lead to the next page of the same kind.
 */
export async function findPage(
  clauses: readonly SearchClause[],
  position: string | null,
  find: FindPage,
): Promise<FoundPage> {
  if (position?.startsWith(WITHOUT_QUOTES)) return withoutQuotes(clauses, position.slice(WITHOUT_QUOTES.length), find);
  const page = await find(clauses, position);
  const isAnswer = page.documents.length > 0 || position !== null || !mayLoseQuotes(clauses);
  return isAnswer ? page : withoutQuotes(clauses, null, find);
}

/**
 * Checks whether quotes are part of a question: people quote names and titles there. Somebody who leaves words out knows what
 * quotes do.
 */
function mayLoseQuotes(clauses: readonly SearchClause[]): boolean {
  const others = clauses.filter((clause) => isWanted(clause) && !isQuoted(clause));
  return clauses.some(isQuoted) && others.length >= OTHER_WORDS_MIN && !clauses.some(({ isUnwanted }) => isUnwanted);
}

async function withoutQuotes(
  clauses: readonly SearchClause[],
  position: string | null,
  find: FindPage,
): Promise<FoundPage> {
  const unquoted = clauses.map((clause) =>
    clause.text !== null && isQuoted(clause) ? { ...clause, text: { ...clause.text, isQuoted: false } } : clause,
  );
  const page = await find(unquoted, position);
  const quoted = clauses.filter(isQuoted).map(({ text }) => text?.words.join(" ") ?? "");
  return {
    ...page,
    missingWords: page.documents.length === 0 ? page.missingWords : [...new Set([...quoted, ...page.missingWords])],
    next: page.next === null ? null : WITHOUT_QUOTES + page.next,
  };
}

function isWanted({ text, filter, isUnwanted }: SearchClause): boolean {
  return text !== null && filter === null && !isUnwanted && text.words.length > 0;
}

function isQuoted(clause: SearchClause): boolean {
  return isWanted(clause) && clause.text?.isQuoted === true;
}
