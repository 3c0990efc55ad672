import type { FoundPage, SearchClause } from "#documents/engine.ts";

/** Before a position of a search without its quotes. */
const WITHOUT_QUOTES = "unquoted:";

/** A question has at least so many words beside its quotes. With fewer, the quotes are the search, and mean what they say. */
const OTHER_WORDS_MIN = 3;

/** Asks the engine for a page from a position. */
type FindPage = (clauses: readonly SearchClause[], position: string | null) => Promise<FoundPage>;

/**
 * Finds a page. If nothing has what a question quotes, its quoted words count like others, more where they are in a row, and are named as
 * missing. The positions of such a page lead to the next one of its kind.
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

/** Whether quotes stand in a question: people quote names and titles there. Who leaves words out knows what quotes do. */
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
