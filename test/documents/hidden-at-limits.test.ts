import { Finder } from "#documents/find/find.ts";
import { FIND_LIMITS, type FindLimits } from "#documents/find/limits.ts";
import { inTurns, Reading } from "#documents/find/reading.ts";
import { pageOf } from "#documents/sharding/merge.ts";
import { commonWordsOf } from "#documents/write/impact-bitmaps.ts";
import { isSomethingUnlearnt, learnNext } from "#documents/write/vocabulary.ts";
import { bytesOf, setState } from "#documents/store.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AUTHORS, type ModelDocument } from "../support/search-model.ts";
import { runs } from "../support/properties.ts";
import { seerOf, World } from "./world.ts";

/** So small that a few hidden documents reach every limit. */
const SMALL = 3;

/** How many hidden documents contain the words: one fewer than a limit, and one more. */
const PLANTED = [SMALL - 1, SMALL + 1];

/** The most queries for each limit. Other limits get others, and all limits together get all; `npm run explore` asks each limit all. */
const ASKED_MAX = runs(10);

const plain = { body: [], tag: null, type: "Page", author: null, updatedDay: null, values: null } as const;
const seen = { ...plain, users: ["ben@acme.example"], groups: [], intersections: [], everyone: false } as const;
const hidden = { ...seen, users: ["zoe@acme.example"] } as const;
const [author] = AUTHORS;
const values = { status: "approved", labels: ["urgent"], note: "release wave", hidden: null };

/** What is the same in several documents, some of them hidden. */
const COPIED = Array.from({ length: 45 }, (_, at) => `filler${at}`);

/** The only visible document with most of the words. It is the oldest, so a limit on newer documents cuts it off. */
const BAIT: ModelDocument = {
  ...seen,
  title: ["budget", "harbour"],
  body: ["planning", "planned", "zebra", "release", "wave", "common", "notes", "leave", "queueRunMax"],
  author,
  updatedDay: 1,
  values,
};

/**
 * What is planted: the words that are asked for, and others that start the same, have the same stem, are nearly the same, or are written
 * as one. Every second document has a title that is asked for.
 */
function plantedDocument(at: number): ModelDocument {
  return {
    ...hidden,
    title:
      at % 2 === 0
        ? ["budget", "harbour", "zebra", `plaa${at}`, `pla${at}`, "plannings", "plans"]
        : ["common", "notes_wave"],
    body: [
      "release",
      "wave",
      "common",
      "notes",
      "planning",
      "planned",
      "plan",
      "leaves",
      "leaven",
      "budgets",
      "planer",
      "noted",
      "noteworthy",
      "notesx",
      "commonnotes",
      "wavecommon",
      "queue_run_max",
      "notes_wave",
      "waveNotes",
      ...COPIED,
    ],
    author,
    updatedDay: 2,
    values,
  };
}

const QUERIES = [
  "budgte ",
  "planning ",
  "pla",
  "pl",
  "zebra harbour ",
  "zebra common notes ",
  "common ",
  "common notes release plan",
  '"release wave" common ',
  "-zebra common ",
  "reviewstatus:approved",
  "-reviewlabels:urgent notes",
  "from:ada release ",
  "type:Page lavee ",
  "common notes ",
  "wave common notes ",
  "note",
  "notes",
  "common note",
  // A name that a document has, one that only hidden documents have, and both.
  "queue_run_max ",
  "notes_wave ",
  "common notes_wave",
  "wave_notes queue_run_max common ",
  "queue_run_mxa notes_wave ",
  "budget harbour",
  "releasewave ",
  "budgetharbour common ",
  "wavecommon notes ",
  "common topic1 ",
  "commonnotesx ",
  "releasesbudget harbourplanning ",
];

function worldOf(planted: number, bitmaps: Uint32Array | null, bait = BAIT): World {
  const world = new World();
  // With one key, both stores have the same hashes, and the words that are common in one can be those of the other.
  setState(world.store, "word key 0", 1);
  setState(world.store, "word key 1", 2);
  world.put("bait", bait);
  for (let at = 0; at < 7; at++) {
    world.put(`seen${at}`, {
      ...seen,
      title: ["common", `topic${at % 4}`],
      body: ["notes", at % 2 ? "release" : "wave", ...(at > 1 ? COPIED : [])],
    });
  }
  for (let at = 0; at < planted; at++) world.put(`hidden${at}`, plantedDocument(at));
  while (isSomethingUnlearnt(world.store)) learnNext(world.store);
  if (bitmaps) {
    const hashes = bytesOf(bitmaps.buffer as ArrayBuffer);
    world.store.exec("INSERT INTO common_words (hashes, documents, mapped) VALUES (?1, 10, 0)", hashes);
  }
  return bitmaps ? world.mapCommonWords() : world;
}

/** What else words are called: in the bait, in what is planted, and in a row in either. */
const SYNONYMS = [
  { words: ["zebra"], synonyms: ["harbour", "wave common"] },
  { words: ["common"], synonyms: ["release wave", "plans"] },
  { words: ["notes", "release"], synonyms: ["planning planned", "notes planning", "noted"] },
  { words: ["budgte"], synonyms: ["budget harbour", "common notes"] },
];

/** Synonyms change nothing else. */
const NAMED = /zebra|common|notes release|budgte/;

/** What is asked for: each query alone and, where they change something, with synonyms. */
const ASKED = [undefined, SYNONYMS].flatMap((synonyms) =>
  QUERIES.filter((query) => !synonyms || NAMED.test(query)).map((query) => ({ query, synonyms })),
);
type Asked = (typeof ASKED)[number];

/** Returns some of the queries, evenly. @param turn which ones */
function someOf(asked: readonly Asked[], turn: number): readonly Asked[] {
  const step = Math.ceil(asked.length / ASKED_MAX);
  return asked.filter((_, at) => (at + turn) % step === 0);
}

/** Returns all pages of what somebody finds, with everything that a response or a shard says, except for positions. */
function pagesOf(world: World, limits: FindLimits, asked: readonly Asked[] = ASKED) {
  const finder = shownBy(new Finder(world.store, limits));
  return asked.map(({ query, synonyms }) => {
    const pages: unknown[] = [];
    let position: string | null = null;
    do {
      const page = world.page(
        seerOf("ben"),
        { query, pageSize: 4 },
        { facetBuckets: 10, copies: "together", position, ...(synonyms && { synonyms }) },
        finder,
      );
      const { next, ...shown }: ReturnType<World["page"]> = page;
      pages.push(shown);
      position = next;
    } while (position !== null);
    return { query, pages };
  });
}

/**
 * Returns what a search finds in each of these worlds, and which limits it reads. All others can't change what it finds: each
 * search has a finder of its own here, so it reads every limit that it depends on.
 */
function watchedSearch(asked: Asked, worlds: readonly World[], limits: FindLimits) {
  const read = new Set<string | symbol>();
  const watched = new Proxy(limits, { get: (of, name) => (read.add(name), Reflect.get(of, name) as number) });
  return { asked, found: worlds.map((world) => pagesOf(world, watched, [asked])), read };
}

/** Makes a finder also return scores, and what it would tell other shards. */
function shownBy(finder: Finder, reading?: Reading): Pick<Finder, "find"> {
  return {
    find: (search, seer) => {
      const { places, evidence, decisions, keys, ...page } = finder.findInShard(search, seer, null, reading);
      const shown = { scores: places.map((place) => ({ ...place, position: "" })), evidence, decisions, keys };
      return { ...pageOf({ places, evidence, decisions, keys, ...page }), ...shown };
    },
  };
}

/** Limits that are only used with impact bitmaps. */
const NEEDS_BITMAPS: ReadonlySet<string> = new Set(["unmappedEntries", "promised"]);

it("hidden documents change nothing if a document is long, and its passages are limited", () => {
  const long = { ...BAIT, body: [...BAIT.body, ...Array<string>(250).fill("and")] };
  const [alone, ...among] = [0, ...PLANTED].map((planted) => worldOf(planted, null, long)) as [World, ...World[]];
  const limits = { ...FIND_LIMITS, narrow: 0, passageBytes: SMALL };
  const asked = someOf(ASKED, 0).filter((one) => watchedSearch(one, [alone], limits).read.has("passageBytes"));
  expect(asked.length).toBeGreaterThan(2);
  const found = pagesOf(alone, limits, asked);
  for (const world of among) expect(pagesOf(world, limits, asked)).toEqual(found);
  for (const { store } of [alone, ...among]) store.close();
});

describe.each([
  ["without impact bitmaps of common words", false],
  ["with impact bitmaps of common words", true],
])("documents that somebody may not see, exactly as many as a limit, %s", (_marks, isMapped) => {
  let alone: World;
  let among: readonly World[] = [];
  /** Everything that they see is scored, or the index chooses: with words in more documents than a sample, by the bitmaps. */
  const bases = (isMapped ? [{ narrow: 0, sample: SMALL }] : [{}, { narrow: 0 }]).map((set) => ({
    ...FIND_LIMITS,
    ...set,
  }));
  const searches = new Map<FindLimits, readonly ReturnType<typeof watchedSearch>[]>();

  beforeAll(() => {
    let bitmaps: Uint32Array | null = null;
    if (isMapped) {
      const chosen = worldOf(0, null).mapCommonWords();
      bitmaps = commonWordsOf(chosen.store)[0]?.hashes ?? null;
      chosen.store.close();
      expect(bitmaps?.length).toBeGreaterThan(5);
    }
    alone = worldOf(0, bitmaps);
    among = PLANTED.map((planted) => worldOf(planted, bitmaps));
    for (const limits of bases) {
      searches.set(
        limits,
        ASKED.map((asked) => watchedSearch(asked, [alone, ...among], limits)),
      );
    }
  });

  afterAll(() => {
    for (const { store } of [alone, ...among]) store.close();
  });

  it("hidden documents change nothing about what somebody finds if no limit is small", () => {
    for (const { found } of [...searches.values()].flat()) {
      const [seenAlone, ...seenAmong] = found;
      for (const each of seenAmong) expect(each).toEqual(seenAlone);
    }
  });

  it.each((Object.keys(FIND_LIMITS) as (keyof FindLimits)[]).map((name, turn) => [name, turn] as const))(
    "hidden documents change nothing about what somebody finds, at the limit of %s",
    (name, turn) => {
      const [[base, all] = [FIND_LIMITS, []]] = bases
        .map((limits) => [limits, searches.get(limits)?.filter(({ read }) => read.has(name)) ?? []] as const)
        .filter(([, reading]) => reading.length > 0);
      // Bitmaps, and documents of 250 words, have limits of their own.
      const asked = someOf(
        all.map((one) => one.asked),
        turn,
      );
      expect(asked.length > 0 || name === "passageBytes" || (!isMapped && NEEDS_BITMAPS.has(name))).toBe(true);
      const limits = { ...base, [name]: SMALL };
      const found = pagesOf(alone, limits, asked);
      for (const [at, world] of among.entries()) {
        expect([PLANTED[at], pagesOf(world, limits, asked)]).toEqual([PLANTED[at], found]);
      }
    },
  );

  it("hidden documents change nothing if all limits are small, in one turn or many", async () => {
    const small = Object.fromEntries(Object.keys(FIND_LIMITS).map((name) => [name, SMALL])) as unknown as FindLimits;
    const found = pagesOf(alone, small);
    let turns = 0;
    for (const [which, world] of among.entries()) {
      expect(pagesOf(world, small)).toEqual(found);
      const finder = new Finder(world.store, small);
      for (const [at, query] of QUERIES.entries()) {
        if (at % among.length !== which) continue;
        const turn = (reading: Reading) => {
          turns++;
          return world.page(
            seerOf("ben"),
            { query, pageSize: 4 },
            { facetBuckets: 10, copies: "together" },
            shownBy(finder, reading),
          );
        };
        const { next: _, ...page } = await inTurns(turn, new Reading(1));
        expect([query, page]).toEqual([query, found[at]?.pages[0]]);
      }
    }
    expect(turns).toBeGreaterThan(QUERIES.length * 3);
  });
});

it("a hidden word is not told by the correction that it takes from a document full of guesses", () => {
  const limits = { ...FIND_LIMITS, narrow: 0, sample: 40 };
  const guesses = ["harvest", "merger", "layoffs", "dividend"];
  const corrected = (secrets: readonly string[]) => {
    const world = new World(limits);
    world.put("bait", { ...seen, title: guesses });
    for (let at = 0; at < 39; at++) world.put(`hidden${at}`, { ...hidden, title: guesses });
    world.put("secret", { ...hidden, title: ["board", ...secrets] });
    const found = ["harvset ", "mergre ", "layofsf ", "dividned "].map(
      (query) => world.page(seerOf("ben"), { query }).correctedWords.length,
    );
    world.store.close();
    return found;
  };
  expect(corrected([])).toEqual([1, 1, 1, 1]);
  expect(corrected(["merger", "dividend"])).toEqual([1, 1, 1, 1]);
});

describe("the names of metadata that only other people's documents use", () => {
  const QUERY_OF_NAMES = [
    "reviewlabels:urgent common ",
    "-reviewlabels:urgent common ",
    'reviewlabels:"a b"',
    "common reviewlabels:x",
  ];

  function answers(isNameKnown: boolean, isSeen: boolean) {
    return [FIND_LIMITS.narrow, 0].map((narrow) => {
      const world = new World({ ...FIND_LIMITS, narrow });
      if (!isNameKnown) world.store.exec("DELETE FROM metadata_keys WHERE name = 'labels'");
      for (let at = 0; at < 4; at++) world.put(`seen${at}`, { ...seen, title: ["common", "reviewlabels"] });
      const labelled = { ...plain, title: ["common"], values: { ...values, status: null, note: null } };
      world.put("labelled", { ...labelled, ...(isSeen ? seen : hidden), title: ["common"], values: labelled.values });
      const filter = { facetFilters: [{ fieldName: "reviewlabels", values: [{ value: "urgent" }] }] };
      const found = [
        ...QUERY_OF_NAMES.map((query) => world.page(seerOf("ben"), { query }, { facetBuckets: 10 })),
        world.page(seerOf("ben"), { query: "common", requestOptions: filter }, { facetBuckets: 10 }),
      ];
      world.store.close();
      return found.map(({ documents, facets, missingWords }) => ({ documents, facets, missingWords }));
    });
  }

  it("names of metadata that only hidden documents use are as unknown as names that don't exist, in operators, filters and facets", () => {
    expect(answers(true, false)).toEqual(answers(false, false));
  });

  it("names of metadata are known to those who see a document with a value", () => {
    const [found] = answers(true, true);
    expect(found?.[0]?.documents.map(({ externalId }) => externalId)).toEqual(["labelled"]);
    expect(found?.[3]?.documents).toEqual([]);
  });
});

it("more filters than a number has bits all apply", () => {
  const world = new World({ ...FIND_LIMITS, narrow: 0 });
  const words = Array.from({ length: 31 }, (_, at) => `word${at}`);
  const put = (id: string, note: readonly string[]) =>
    world.put(id, { ...seen, title: ["plan"], values: { ...values, note: note.join(" ") } });
  put("all", words);
  put("lacks the last", words.slice(0, -1));
  put("lacks the first", words.slice(1));
  put("unwanted and lacks the last", [...words.slice(0, -1), "bad"]);
  put("unwanted", [...words, "bad"]);
  const typed = ["-reviewnote:bad", ...words.slice(0, 11).map((word) => `reviewnote:${word}`)];
  const facetFilters = words.slice(11).map((value) => ({ fieldName: "reviewnote", values: [{ value }] }));
  const found = world.page(seerOf("ben"), { query: `${typed.join(" ")} plan `, requestOptions: { facetFilters } });
  expect(found.documents.map(({ externalId }) => externalId)).toEqual(["all"]);
  world.store.close();
});
