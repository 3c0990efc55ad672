import { expect } from "vitest";
import type { Documents } from "#documents/documents.ts";
import type { DocumentSearch, Facet, FoundPage, Principal, Seer } from "#documents/engine.ts";
import type { DocumentStats, ExportedDocument, ExportLine, ExportPage } from "#documents/upkeep/keeping.ts";
import { DATASOURCE } from "../world.ts";
import { nameOf, type Request, SEERS } from "./histories.ts";
import { INSTANCE } from "./objects.ts";

/** Compares two instances with the same content by what their calls return. */
export class Comparison {
  readonly one: Documents;
  readonly several: Documents;

  constructor(one: Documents, several: Documents) {
    this.one = one;
    this.several = several;
  }

  /** Makes a call to both. */
  async ask(request: Request, inOrder: (answer: never) => unknown = (answer) => answer): Promise<void> {
    const [one, several] = await Promise.all([ask(this.one, request), ask(this.several, request)]);
    const seen = (answer: unknown) => JSON.parse(JSON.stringify(inOrder((answer ?? null) as never))) as unknown;
    expect([...request, seen(several)]).toEqual([...request, seen(one)]);
  }

  /** Compares everything that calls return, after both have cleaned up. */
  async compareAll(): Promise<void> {
    await this.ask(["uploads", DATASOURCE], (uploads: readonly { kind: string; errors: unknown }[]) =>
      uploads.map(({ errors: _errors, ...upload }) => upload).sort((one, other) => (one.kind < other.kind ? -1 : 1)),
    );
    await this.ask(["stats"], ({ datasources, languages, receiving, removing }: DocumentStats) => ({
      datasources: datasources.filter(
        ({ documents, users, groups, memberships }) => documents + users + groups + memberships > 0,
      ),
      languages: Object.entries(languages).filter(([, count]) => count > 0),
      receiving,
      removing,
    }));
    await this.ask(["listDocuments", DATASOURCE, {}]);
    await this.ask(["listDocuments", DATASOURCE, { after: "2" }]);
    await this.ask(["listDocuments", DATASOURCE, { before: "4" }]);
    await this.ask(["listDocuments", DATASOURCE, { after: "1", most: 2 }]);
    await this.ask(["count", DATASOURCE]);
    await this.ask(["countByGroup", [1, 2], 100]);
    for (const id of [1, 2]) await this.ask(["countByKey", id, 100]);
    for (let id = 0; id < 7; id++) {
      await this.ask(["indexedAt", DATASOURCE, String(id)]);
      await this.ask(
        ["inspectDocument", DATASOURCE, String(id)],
        (answer: ExportedDocument | null) => answer && sortedDocument(answer),
      );
    }
    const [one, several] = await Promise.all([
      linesOf((after) => this.one.exportPage(INSTANCE, after)),
      linesOf((after) => this.several.exportPage(INSTANCE, after)),
    ]);
    expect(several.map(canonicalLine).sort()).toEqual(one.map(canonicalLine).sort());
    for (const seer of SEERS) await this.#compareSeen(seer);
  }

  async #compareSeen(seer: Seer): Promise<void> {
    const names = Array.from({ length: 7 }, (_, id) => nameOf(id));
    for (const { datasource, externalId } of names) {
      await this.ask(["maySee", datasource, externalId, seer]);
      await this.ask(["explainAccess", { datasource, externalId }, seer], (answer: { rules: object[] } | null) => ({
        ...answer,
        rules: answer?.rules.map((rule) => JSON.stringify(rule)).sort(),
      }));
    }
    const wanted = { customData: true, content: true, contentBytesMax: 1_000_000 };
    await this.ask(["read", names, seer, wanted]);
    const some = { ...wanted, contentBytesMax: 1500 };
    await this.ask(["read", names, seer, some]);
    await this.ask(
      ["read", [{ url: "https://world.example/1" }, { url: "https://world.example/3" }], seer, wanted],
      // Which of several documents with one URL is read is up to the shards.
      (read: readonly { position: number; url: string }[]) => read.map(({ position, url }) => [position, url]),
    );
    await this.ask(["standingOf", seer]);
    for (const words of [["tide"], ["tide", "almanac"], ["pears", "harb"], ["tode"], ["spring", "tides", "number"]]) {
      await this.#compareFound(seer, words);
    }
  }

  /** Compares which documents are found on all pages, and what is said about the words. Scores depend on the other documents of a shard. */
  async #compareFound(seer: Seer, words: readonly string[]): Promise<void> {
    const found = async (find: (search: DocumentSearch) => Promise<FoundPage>) => {
      const ids: string[] = [];
      const pages: object[] = [];
      for (let position: string | null = null; ; ) {
        const page: FoundPage = await find({ ...searchFor(words), position });
        ids.push(...page.documents.map(({ externalId }) => externalId));
        if (position === null) pages.push({ corrected: page.correctedWords, facets: page.facets.map(sortedFacet) });
        if (page.next === null) break;
        position = page.next;
      }
      expect(new Set(ids).size).toBe(ids.length);
      return [words, seer.email, ids.sort(), ...pages];
    };
    expect(await found((search) => this.several.find(INSTANCE, search, seer))).toEqual(
      await found((search) => this.one.find(INSTANCE, search, seer)),
    );
  }
}

/** Makes a call. */
export async function ask(documents: Documents, [name, ...given]: Request): Promise<unknown> {
  return (documents[name] as (...all: readonly unknown[]) => unknown)(INSTANCE, ...given);
}

function searchFor(words: readonly string[]): DocumentSearch {
  const texts = words.map((word, at) => ({
    isUnwanted: false,
    filter: null,
    text: { words: [word], isQuoted: false, isUnfinished: at === words.length - 1 },
  }));
  return {
    clauses: texts,
    updated: null,
    pageSize: 3,
    excerptCharacters: 100,
    facetBuckets: 5,
    position: null,
    preferences: { languages: ["en"], recentAt: 86_400 * 20 },
  };
}

/** Returns all lines of an export. */
export async function linesOf(page: (after: string | null) => Promise<ExportPage>): Promise<ExportLine[]> {
  const lines: ExportLine[] = [];
  for (let after: string | null = null; ; ) {
    const { lines: more, next }: ExportPage = await page(after);
    lines.push(...more);
    if (next === null) return lines;
    after = next;
  }
}

function canonicalLine(line: ExportLine): string {
  return canonical("document" in line ? sortedDocument(line.document) : line);
}

function sortedFacet({ buckets, ...facet }: Facet) {
  return { ...facet, buckets: buckets.toSorted((one, other) => (one.value < other.value ? -1 : 1)) };
}

/** Sorts a document's permissions, which are a set. */
function sortedDocument<Document extends { readonly principals: readonly Principal[] }>(document: Document) {
  return { ...document, principals: document.principals.map((principal) => JSON.stringify(principal)).sort() };
}

/** Returns JSON with the members of each object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}
