import type { DocumentEngine, DocumentSearch, Principal, Seer } from "#documents/engine.ts";
import type { DocumentInspection } from "#documents/inspection/inspection.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import type { DocumentStats } from "#documents/upkeep/keeping.ts";
import { wordsIn } from "#documents/words.ts";
import { describeError, log } from "#platform/log.ts";

export type SearchedDocuments = Pick<DocumentEngine, "find"> & DocumentInspection;

/** How many words of a title are searched for. */
const WORDS_MAX = 5;

/**
 * Searches for a document by its title, as somebody who may see it, in the largest datasource. A search goes through everything that
 * is stored, so it shows what no statistic does.
 *
 * @returns whether the search succeeded; `null`: there is nothing to search for
 */
export async function trySearch(
  documents: SearchedDocuments,
  instanceId: number,
  { datasources }: DocumentStats,
): Promise<boolean | null> {
  const [largest] = datasources.toSorted((one, other) => other.documents - one.documents);
  if (!largest || largest.documents === 0) return null;
  try {
    const { documents: listed } = await documents.listDocuments(instanceId, largest.name, {});
    const [first] = listed;
    if (!first) return null;
    const inspected = await documents.inspectDocument(instanceId, largest.name, first.externalId);
    await documents.find(instanceId, searchFor(first.title), seerOf(inspected?.principals ?? []));
    return true;
  } catch (error) {
    log({ level: "error", event: "trial_search_failed", detail: describeError(error) });
    return false;
  }
}

function searchFor(title: string): DocumentSearch {
  const words = wordsIn(title).slice(0, WORDS_MAX);
  const texts = words.map((word, at) => ({ words: [word], isQuoted: false, isUnfinished: at === words.length - 1 }));
  return {
    clauses: texts.map((text) => ({ isUnwanted: false, text, filter: null })),
    updated: null,
    pageSize: 1,
    excerptCharacters: 100,
    facetBuckets: 1,
    position: null,
    preferences: { languages: USUAL_LANGUAGES, recentAt: null },
  };
}

/** Returns somebody who may see a document with these principals, unless a pipeline decides who is in its groups. */
function seerOf(principals: readonly Principal[]): Seer {
  return {
    email: principals.find(({ kind }) => kind === "person")?.name ?? "doctor@invalid",
    directoryGroups: principals.flatMap(({ kind, name }) =>
      kind === "group" ? [name] : kind === "intersection" ? (JSON.parse(name) as string[]) : [],
    ),
  };
}
