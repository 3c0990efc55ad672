import { applyChanges } from "#documents/apply.ts";
import { putValues } from "#documents/metadata/values.ts";
import type { DocumentChange, IndexableDocument, Principal } from "#documents/engine.ts";
import { changeRights } from "#documents/rights/change-rights.ts";
import { isResolvedBefore, workOfChange } from "#documents/steps.ts";
import { removeUnheld } from "#documents/upkeep/unheld.ts";
import { indexable } from "#documents/words.ts";
import { WORK } from "#documents/work.ts";
import { resolveClass, workOfPrincipal } from "#documents/write/access-classes.ts";
import { isSomethingUnlearnt, learnNext } from "#documents/write/vocabulary.ts";
import { Chance } from "../../test/support/chance.ts";
import { aDocument, DATASOURCE } from "../../test/documents/document.ts";
import type { SqliteStore } from "../../test/support/node/sqlite-store.ts";
import { documentOf, wordOfRank } from "../search/corpus.ts";
import { cpuOf } from "./cpu.ts";

/** A kind of item. */
interface Item {
  readonly name: string;
  /** What the model says about the last one, in microseconds. */
  model(): number;
  /** Makes one. */
  run(): Holds;
}

/** The milliseconds of each step that an item takes, and of those that it leaves to the alarm. */
interface Holds {
  readonly own: readonly number[];
  readonly alarm: readonly number[];
}

const SMALL_INDEX = 1000;
const chance = new Chance(7);
const repeated = (sample: string, length: number) => sample.repeat(Math.ceil(length / sample.length)).slice(0, length);
const many = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at));
const letters = (count: number) => many(count, () => String.fromCharCode(chance.between(97, 122))).join("");
const prose = (length: number) => many(length / 7, () => wordOfRank(Math.ceil(12_000 ** chance.next()))).join(" ");

const people = (of: string, count: number): Principal[] =>
  many(count, (at) => `u${at}-${of}@acme.example`).map((name) => ({ kind: "person", datasource: "", name }));
const intersections = (of: string, count: number): Principal[] =>
  many(count, (at) => JSON.stringify(many(20, (nth) => `g${at}-${nth}-${of}`))).map((name) => ({
    kind: "intersection",
    datasource: DATASOURCE,
    name,
  }));

/** Texts in every form that made a document expensive. */
const BODIES: Readonly<Record<string, () => string>> = {
  "20,000 letters of prose": () => prose(20_000),
  "200,000 letters of prose": () => prose(200_000),
  "1,700,000 letters of prose": () => repeated(prose(200_000), 1_700_000),
  "200,000 letters, all words different": () => many(28_000, () => letters(6)).join(" "),
  "200,000 letters, words of one letter": () => many(100_000, () => letters(1)).join(" "),
  "200,000 digits": () => many(50_000, () => String(chance.between(100, 999))).join(" "),
  "one word of 200,000 letters": () => letters(200_000),
  "3,000 words of 64 letters": () => many(3000, () => letters(64)).join(" "),
  "200,000 Chinese characters": () =>
    indexable(many(200_000, () => String.fromCharCode(chance.between(0x4e00, 0x6000))).join("")),
  "200,000 letters of Arabic": () => indexable(repeated("هذا نص عربي عادي للتجربة ", 200_000)),
  "200,000 letters of Hindi": () => indexable(repeated("मैं नहीं जानता कि उन्हें क्यों यहाँ बुलाया गया है ", 200_000)),
  "200,000 letters of Thai": () => indexable(repeated("ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน", 200_000)),
  "200,000 keycap emoji and marks": () => indexable(repeated("1\ufe0f\u20e3", 200_000)),
  "100,000 emoji": () => many(100_000, () => String.fromCodePoint(chance.between(0x1f600, 0x1f64f))).join(""),
  "200,000 ligatures of 18 letters": () => indexable(repeated("ﷺ ", 200_000)),
  "names with points": () => many(25_000, () => `${letters(3)}.${letters(3)}`).join(" "),
  "the same names with points": () => repeated(many(300, () => `${letters(5)}.${letters(6)}, `).join(""), 200_000),
  "names in camel case": () => many(16_000, () => `${letters(3)}${letters(1).toUpperCase()}${letters(4)}Id`).join(" "),
  dates: () => repeated("14.03.2024 ", 200_000),
};

/** Returns one item of every kind, in an index of some thousand documents. */
export function itemsToMeasure(store: SqliteStore): Item[] {
  for (let at = 0; at < SMALL_INDEX; at += 20) {
    const documents = Array.from({ length: 20 }, (_, nth) => documentOf(at + nth));
    store.transaction(() =>
      applyChanges(
        store,
        documents.map((document) => ({ act: "put", document })),
        0,
      ),
    );
  }
  finish(store);
  let made = 0;
  const item = (name: string, make: (of: string) => DocumentChange): Item => {
    let last = 0;
    return {
      name,
      model: () => last,
      run() {
        const change = make(String(made++));
        last = workOfChange(change) + resolvingWork(change);
        return holdsOf(store, change);
      },
    };
  };
  const put = (name: string, make: (of: string) => Partial<IndexableDocument>) =>
    item(name, (of) => ({ act: "put", document: aDocument(of, make(of)) }));
  const known = people("known", 20_000);
  const permit = (name: string, principals: (of: string) => readonly Principal[]) =>
    item(name, (of) => ({
      act: "permit",
      datasource: DATASOURCE,
      externalId: "permitted",
      principals: principals(of),
    }));
  applyChanges(store, [{ act: "put", document: aDocument("permitted", { principals: known }) }], 0);
  return [
    put("a short document", () => ({ body: prose(400) })),
    ...Object.entries(BODIES).map(([name, body]) => put(name, () => ({ body: body() }))),
    put("9,000 tags of 190 letters", () => ({ keywords: many(9000, (at) => repeated(String(at), 190)).join("\n") })),
    put("50,000 tags of 3 letters", () => ({ keywords: many(50_000, () => letters(3)).join("\n") })),
    put("a summary of 800,000 letters", () => ({ summary: repeated(prose(1000), 800_000) })),
    put("400 new principals", (of) => ({ principals: people(of, 400) })),
    put("2,000 new principals", (of) => ({ principals: people(of, 2000) })),
    put("20,000 new principals", (of) => ({ principals: people(of, 20_000) })),
    put("20,000 known principals", (of) => ({ title: of, principals: known })),
    put("20,000 principals, one new", (of) => ({ principals: [...known.slice(1), ...people(of, 1)] })),
    put("20 new intersections of 20 groups", (of) => ({ principals: intersections(of, 20) })),
    put("500 new intersections of 20 groups", (of) => ({ principals: intersections(of, 500) })),
    permit("permissions: 20,000 principals, one new", (of) => [...known.slice(1), ...people(of, 1)]),
    item("a removed document", (of) => {
      const document = aDocument(`removed ${of}`, { body: prose(200_000) });
      store.transaction(() => applyChanges(store, [{ act: "put", document }], 0));
      return { act: "remove", datasource: DATASOURCE, externalId: document.externalId };
    }),
    rights(store, "a membership", (of) => ({
      act: "describe",
      described: { kind: "memberships", membership: { groupName: `g${of}`, memberKind: "user", member: of } },
    })),
    rights(store, "a user", (of) => ({
      act: "describe",
      described: { kind: "users", user: { userId: of, email: `${of}@acme.example`, name: of, isActive: true } },
    })),
    metadata(store),
    cleanUp(store),
  ];
}

function resolvingWork(change: DocumentChange): number {
  const principals =
    change.act === "put" ? change.document.principals : change.act === "permit" ? change.principals : [];
  if (!isResolvedBefore(principals)) return 0;
  return principals.reduce((sum, principal) => sum + workOfPrincipal(principal), 0);
}

/** Does what the object does for a change. */
function holdsOf(store: SqliteStore, change: DocumentChange): Holds {
  const own: number[] = [];
  const alarm: number[] = [];
  const step = <Result>(act: () => Result, holds = own): Result => {
    let result: Result | undefined;
    holds.push(cpuOf(() => (result = store.transaction(act))));
    return result as Result;
  };
  const list = change.act === "put" ? change.document.principals : change.act === "permit" ? change.principals : [];
  const classes = new Map<readonly Principal[], number>();
  if (isResolvedBefore(list)) {
    const steps = resolveClass(store, list);
    for (let done = false; !done; ) {
      const next = step(() => steps.next());
      if (next.done === true) classes.set(list, next.value);
      done = next.done === true;
    }
  }
  step(() => applyChanges(store, [change], 0, classes));
  while (isSomethingUnlearnt(store)) step(() => learnNext(store), alarm);
  return { own, alarm };
}

/** Lets the alarm do what is left, without measuring it. */
function finish(store: SqliteStore): void {
  while (isSomethingUnlearnt(store)) store.transaction(() => learnNext(store));
}

function rights(store: SqliteStore, name: string, make: (of: string) => Parameters<typeof changeRights>[2]): Item {
  let made = 0;
  const TIMES = 100;
  changeRights(store, DATASOURCE, { act: "describe", described: { kind: "groups", name: "g0" } });
  return {
    name: `${TIMES} of ${name}`,
    model: () => TIMES * WORK.rights,
    run: () => ({
      own: [
        cpuOf(() =>
          store.transaction(() => {
            for (let at = 0; at < TIMES; at++) changeRights(store, DATASOURCE, make(String(made++)));
          }),
        ),
      ],
      alarm: [],
    }),
  };
}

/** The most values that a document may have. */
function metadata(store: SqliteStore): Item {
  const key = {
    id: 1,
    name: "notes",
    display: "notes",
    facetName: "notes",
    propertyType: "TEXTLIST",
    skipIndexing: false,
  } as const;
  const group = { id: 1, name: "review", display: "review", version: 1, keys: [key] };
  let made = 0;
  return {
    name: "values of metadata: as many terms as possible",
    model: () => 35_000,
    run() {
      const document = aDocument(`described ${made++}`);
      store.transaction(() => applyChanges(store, [{ act: "put", document }], 0));
      const values = Array.from({ length: 100 }, () => many(60, () => letters(4)).join(" "));
      const outcomes: string[] = [];
      const hold = () =>
        store.transaction(() => {
          const reference = { whole: document.externalId, datasource: DATASOURCE, externalId: document.externalId };
          for (let count = values.length; count > 0; count = Math.floor(count * 0.8)) {
            const named = { name: "notes", display: "notes", isList: true, values: values.slice(0, count) };
            outcomes.push(putValues(store, reference, group, [named]).kind);
            if (outcomes.at(-1) === "done") return;
          }
        });
      return { own: [cpuOf(hold)], alarm: [] };
    },
  };
}

/** The longest step of the clean-up after everything is removed. */
function cleanUp(store: SqliteStore): Item {
  return {
    name: "the clean-up of all that was removed",
    model: () => 0,
    run() {
      const named = store.exec<{ datasource: string; id: string }>(
        `SELECT datasource, external_id AS id FROM documents WHERE datasource = '${DATASOURCE}' LIMIT 40`,
      );
      const remove = named.map(({ datasource, id }) => ({ act: "remove", datasource, externalId: id }) as const);
      store.transaction(() => applyChanges(store, remove, 0));
      const holds: number[] = [];
      for (;;) {
        let isDone = false;
        holds.push(cpuOf(() => store.transaction(() => (isDone = removeUnheld(store, 0)))));
        if (isDone) break;
      }
      return { own: [], alarm: holds };
    },
  };
}
