import type { FoundDocument } from "#documents/engine.ts";
import type { Search } from "#client-api/search/search.ts";
import type { Question } from "./question.ts";

/** As many passages as somebody reads. */
const PASSAGES_MAX = 4;

/** Documents that each keyword may bring where none has them all. */
const CANDIDATES_MAX = 10;

/** Long enough to hold the sentence around what matched. */
const PASSAGE_CHARACTERS = 320;

/** Answers questions with passages of documents that the person may see. */
export class Chat {
  readonly #search: Pick<Search, "search">;

  constructor(search: Pick<Search, "search">) {
    this.#search = search;
  }

  /**
   * The documents whose passages answer best, best first: those with all of the question's keywords, then those with most of
   * them. Few looks into the index, whatever is asked.
   */
  async passages(instanceId: number, personId: string, { keywords }: Question): Promise<readonly FoundDocument[]> {
    if (keywords.length === 0) return [];
    const find = async (words: readonly string[]) => {
      // In quotes no word is an operator, nor the beginning of another word.
      const query = words.map((word) => `"${word}"`).join(" ");
      const asked = { query, pageSize: CANDIDATES_MAX, maxSnippetSize: PASSAGE_CHARACTERS };
      return (await this.#search.search(instanceId, personId, asked)).documents;
    };
    const complete = await find(keywords);
    if (complete.length >= PASSAGES_MAX || keywords.length === 1) return complete.slice(0, PASSAGES_MAX);
    const partial = await Promise.all(keywords.map((word) => find([word])));
    return [...complete, ...byAgreement(partial, complete)].slice(0, PASSAGES_MAX);
  }
}

/** Documents that several keywords brought before those that one did; among equals, those that stood higher. */
function byAgreement(lists: readonly (readonly FoundDocument[])[], known: readonly FoundDocument[]): FoundDocument[] {
  const agreed = new Map<string, { document: FoundDocument; keywords: number; standing: number }>();
  for (const list of lists) {
    for (const [place, document] of list.entries()) {
      const entry = agreed.get(nameOf(document)) ?? { document, keywords: 0, standing: 0 };
      agreed.set(nameOf(document), { document, keywords: entry.keywords + 1, standing: entry.standing - place });
    }
  }
  for (const document of known) agreed.delete(nameOf(document));
  return [...agreed.values()]
    .sort((one, other) => other.keywords - one.keywords || other.standing - one.standing)
    .map(({ document }) => document);
}

function nameOf({ datasource, externalId }: FoundDocument): string {
  return `${datasource}:${externalId}`;
}
