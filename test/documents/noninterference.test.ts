import { Chat } from "#client-api/chat/chat.ts";
import type { Search, Searched } from "#client-api/search/search.ts";
import type { ContentCondition, Seer } from "#documents/engine.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import { putDocument } from "#documents/write/documents.ts";
import { isSomethingUnlearnt, learnNext } from "#documents/write/vocabulary.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ModelDocument } from "../support/search-model.ts";
import { asked, type Name, name, namedDocument, namedQuery, namedWorld, requestOf } from "../support/search-worlds.ts";
import { runs } from "../support/properties.ts";
import { aDocument, DATASOURCE, searchOf, seerOf as personOf, World } from "./world.ts";

/** The number of searches in each world, for people who see few documents and many. */
const SEARCHES = 10;
const BEGINNINGS = 5;
const CHATS = 4;
const NAMED = 12;

/** The number of worlds for each of them. */
const WORLDS = runs(2);

/** Permissions for nobody who searches. */
const hidden = { users: ["zoe@acme.example"], groups: [], intersections: [], everyone: false } as const;

/** Words that crowd the vocabulary: completions and forms of what people search for. */
const crowd = fc.array(
  fc.tuple(
    fc.constantFrom("pl", "pla", "plan", "bud", "re"),
    fc.oneof(
      fc.constantFrom("s", "ed", "ing"),
      fc.nat(30).map((at) => `a${at}`),
    ),
  ),
  { minLength: 40, maxLength: 80 },
);

/** What else some words are called. */
const SYNONYMS = [
  { words: ["plan"], synonyms: ["budget", "pla1", "release notes"] },
  { words: ["budget"], synonyms: ["planning release"] },
];

/** Returns what documents of a type have that no model has. */
function ofAnotherType() {
  return { ...open, type: "Secret" as ModelDocument["type"] };
}

/** Chats over the same pages. */
async function chatOf(written: World, seer: Seer, question: string) {
  const search: Pick<Search, "search"> = {
    search: async (_searched, _reader, body) => ({
      searchedQuery: "",
      usedSizes: {},
      cursor: undefined,
      ...written.page(seer, body),
    }),
  };
  const settings = { searchLanguages: USUAL_LANGUAGES } as Searched["settings"];
  return new Chat(search, null).answer(
    { instanceId: 1, settings, appContent: new Map(), glossary: [] },
    { personId: "", apps: [] },
    question,
  );
}

/** Permissions for everybody: only what an app may search hides such a document. */
const open = { users: [], groups: [], intersections: [], everyone: true } as const;
const secretValue = { ...open, values: { status: "Secret", note: null, hidden: null, labels: [] } };
const noSecrets = [{ field: "reviewstatus", values: ["secret"], isExcluded: true }];
const onlyTypes = [{ field: "type", values: ["page", "ticket"], isExcluded: false }];

const MANY = { ...FIND_LIMITS, narrow: 0 };

describe.each<[string, FindLimits, Pick<ModelDocument, keyof typeof open>, readonly ContentCondition[]]>([
  ["few documents may not see", FIND_LIMITS, hidden, []],
  ["many documents may not see", MANY, hidden, []],
  ["many documents may not search with an app, by a value", MANY, secretValue, noSecrets],
  ["few documents may not search with an app, by type", FIND_LIMITS, ofAnotherType(), onlyTypes],
])("documents that somebody who sees %s", (_who, limits, hiding, content) => {
  const seerOf = (who: Name): Seer => ({ ...personOf(who), content });

  it("change nothing about what they find: order, excerpts, facets, pages, cursors, missing words or chat", async () => {
    const both = fc.record({
      model: namedWorld,
      isMapped: fc.boolean(),
      others: fc.array(fc.record({ document: namedDocument, crowd, at: fc.oneof(fc.constant(0), fc.nat(20)) }), {
        minLength: 1,
        maxLength: 12,
      }),
      searches: fc.array(asked, { minLength: SEARCHES, maxLength: SEARCHES }),
      beginnings: fc.array(
        fc.record({ name, query: fc.constantFrom("pl", "pla", "plana", "plana1", "bu", "bud", "re") }),
        {
          minLength: BEGINNINGS,
          maxLength: BEGINNINGS,
        },
      ),
      named: fc.array(fc.record({ name, query: namedQuery }), { minLength: NAMED, maxLength: NAMED }),
    });
    let oneWord = 0;
    await fc.assert(
      fc.asyncProperty(both, async ({ model, isMapped, others, searches, beginnings, named }) => {
        const alone = World.of(model, limits);
        const among = World.of({ ...model, documents: [] }, limits);
        const planted = others.map(({ document: one, crowd: words, at }) => ({
          at,
          document: {
            ...one,
            ...hiding,
            title: [...words.map((parts) => parts.join("")), ...one.title],
          } as ModelDocument,
        }));
        for (const [id, one] of model.documents.entries()) {
          for (const [place, { at, document: other }] of planted.entries())
            if (at === id) among.put(`hidden${place}`, other);
          among.put(String(id), one);
        }
        if (isMapped) for (const one of [alone, among]) one.mapCommonWords();
        const requests = [
          ...searches.map((one) => ({
            who: one.name,
            body: { ...requestOf(one, DATASOURCE), pageSize: one.pageSize },
          })),
          ...[...beginnings, ...named].map(({ name: who, query }) => ({ who, body: { query, pageSize: 3 } })),
        ];
        for (const { who, body } of requests) {
          const shown = (of: World) => {
            const { next, ...page } = of.page(seerOf(who), body, {
              facetBuckets: 10,
              synonyms: SYNONYMS,
              copies: "together",
            });
            const { keys } = of.finder.findInShard(searchOf(body), seerOf(who), null);
            return { ...page, cursor: next?.length, keys, all: of.all(seerOf(who), body) };
          };
          if ([...shown(alone).keys].some((key) => key.startsWith("="))) oneWord++;
          expect([body, who, shown(among)]).toEqual([body, who, shown(alone)]);
        }
        for (const { who, body } of requests.slice(0, CHATS)) {
          const said = await chatOf(alone, seerOf(who), body.query);
          expect([body.query, who, await chatOf(among, seerOf(who), body.query)]).toEqual([body.query, who, said]);
        }
        alone.store.close();
        among.store.close();
      }),
      { numRuns: WORLDS, endOnFailure: true },
    );
    expect(oneWord).toBeGreaterThan(WORLDS);
  });

  it("take no place among the completions", () => {
    const written = new World(limits);
    for (let at = 0; at < 40; at++) written.put(`hidden${at}`, { ...plain, ...hiding, title: [`pla${at}`] });
    written.put("seen", { ...seen, title: ["planning"] });
    expect(written.all(seerOf("ben"), { query: "pla" })).toEqual(["seen"]);
    written.store.close();
  });

  it("can't be spelled out by somebody who plants words that start the same", () => {
    for (const planted of [127, 1000]) {
      const spelled = (victim: string | null) => amongPlanted(planted, victim, { limits, hiding, seer: seerOf("ben") });
      const found = spelled(null);
      expect([planted, spelled("plavictim")]).toEqual([planted, found]);
      expect(found).toEqual(["seen"]);
    }
  });
});

const plain = { body: [], tag: null, type: "Page", author: null, updatedDay: null, values: null } as const;
const seen = { ...plain, ...hidden, users: ["ben@acme.example"] };

/**
 * Returns what somebody finds by the start of a word, after many hidden words with it are written, and one that they see.
 */
function amongPlanted(
  planted: number,
  victim: string | null,
  { limits, hiding, seer }: { limits: FindLimits; hiding: Partial<ModelDocument>; seer: Seer },
): string[] {
  const written = new World(limits);
  if (victim !== null) written.put("victim", { ...plain, ...hiding, title: [victim] } as ModelDocument);
  const title = Array.from({ length: planted }, (_, at) => `plaa${at}`);
  written.put("hidden", { ...plain, ...hiding, title } as ModelDocument);
  while (isSomethingUnlearnt(written.store)) learnNext(written.store);
  written.put("seen", { ...seen, title: ["plaz"] });
  const found = written.all(seer, { query: "pla" });
  written.store.close();
  return found;
}

it("documents in other datasources can't keep a person from reading a document by its URL", () => {
  const written = new World();
  const url = "https://tickets.acme.example/SEC-7";
  const read = () =>
    written.finder.read([{ url }], personOf("ben"), NOTHING_WANTED).map(({ externalId }) => externalId);
  for (let at = 0; at < 120; at++) {
    putDocument(written.store, aDocument(`hidden${at}`, { datasource: "other", url, principals: [] }), 1, 0);
  }
  expect(read()).toEqual([]);
  putDocument(written.store, aDocument("seen", { url }), 1, 0);
  expect(read()).toEqual(["seen"]);
  putDocument(written.store, aDocument("newer", { datasource: "another", url }), 1, 0);
  expect(read()).toEqual(["seen"]);
  written.store.close();
});

const NOTHING_WANTED = { customData: false, content: false, contentBytesMax: 0 };

describe("completions, if more words begin the same than are completed", () => {
  const found = (written: World, content: readonly ContentCondition[] = []) =>
    written.all({ ...personOf("ben"), content }, { query: "pla" });

  it.each([FIND_LIMITS.narrow, 0])("are the shortest, however old their documents (%i weighed)", (narrow) => {
    const written = new World({ ...FIND_LIMITS, narrow, completions: 1 });
    for (const word of ["plan", "planet", "plant"]) written.put(word, { ...seen, title: [word] });
    expect(found(written)).toEqual(["plan"]);
    written.store.close();
  });

  it.each([FIND_LIMITS.narrow, 0])(
    "are none that the person may not see, or not with the app (%i weighed)",
    (narrow) => {
      const written = new World({ ...FIND_LIMITS, narrow, completions: 1 });
      written.put("lost", { ...seen, title: ["plan"] });
      written.put("secret", { ...seen, ...secretValue, title: ["plant"] });
      written.put("kept", { ...seen, title: ["planet"] });
      expect(found(written)).toEqual(["lost"]);
      written.put("lost", { ...plain, ...hidden, title: ["plan"] });
      expect([found(written), found(written, noSecrets)]).toEqual([["secret"], ["kept"]]);
      written.store.close();
    },
  );
});
