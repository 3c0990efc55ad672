/** Random worlds of documents, people and groups, and random searches of them. */
import { isStopWord } from "#documents/stop-words.ts";
import * as fc from "fast-check";
import {
  AUTHORS,
  LABELS,
  type ModelClause,
  type ModelDocument,
  type ModelQuery,
  type ModelWorld,
  STATUSES,
  TYPES,
  WORDS,
} from "./search-model.ts";

/** Each person with their directory groups. */
export const PEOPLE = {
  ben: ["engineering"],
  carla: ["finance"],
  elin: ["engineering", "finance"],
  farid: [],
} as const;

export type Name = keyof typeof PEOPLE;
export const NAMES = Object.keys(PEOPLE) as Name[];
export const emailOf = (name: Name) => `${name}@acme.example`;

const GROUPS = ["engineering", "finance", "board", "team-a", "team-b"];

/** What a person could type to read what they may not. */
export const INJECTIONS = [
  "plan) OR acl:(p2",
  "{acl} : p1",
  'budget" OR acl:"p3',
  "^plan",
  "NEAR(plan p2)",
  "pl*",
  "))",
  '"',
  "acl:p1 AND",
  "filters:f1",
  "stripe:s0",
  "s0",
  "reviewstatus:f1",
  'type:"f1) OR acl:(p1"',
  "\u0000",
];

export const name = fc.constantFrom(...NAMES);
const word = fc.constantFrom(...WORDS);
const group = fc.constantFrom(...GROUPS);
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { freq: 2 });

const document: fc.Arbitrary<ModelDocument> = fc.record({
  title: fc.array(word, { minLength: 1, maxLength: 3 }),
  body: fc.array(word, { maxLength: 6 }),
  tag: maybe(word),
  type: fc.constantFrom(...TYPES),
  author: maybe(fc.constantFrom(...AUTHORS)),
  updatedDay: maybe(fc.nat(5)),
  users: fc.uniqueArray(fc.constantFrom(...NAMES.map(emailOf), "zoe@acme.example"), { maxLength: 1 }),
  groups: fc.uniqueArray(group, { maxLength: 2 }),
  intersections: fc.array(fc.uniqueArray(group, { minLength: 1, maxLength: 2 }), { maxLength: 1 }),
  everyone: fc.nat(3).map((one) => one === 0),
  values: fc.option(
    fc.record({
      status: maybe(fc.constantFrom(...STATUSES)),
      note: maybe(word),
      hidden: maybe(word),
      labels: fc.uniqueArray(fc.constantFrom(...LABELS), { maxLength: 2 }),
    }),
  ),
});

/** A world. Only groups that the pipeline described have members. */
export const world: fc.Arbitrary<ModelWorld> = fc
  .record({
    documents: fc.array(document, { minLength: 18, maxLength: 22 }),
    described: fc.uniqueArray(fc.constantFrom(...GROUPS.slice(1)), { minLength: 2 }),
    memberships: fc.array(
      fc.oneof(
        fc.record({ group, kind: fc.constant("user" as const), member: name.map(emailOf) }),
        fc.record({ group, kind: fc.constant("group" as const), member: group }),
      ),
      { maxLength: 8 },
    ),
  })
  .map((one) => ({
    ...one,
    memberships: one.memberships.filter((member) => one.described.includes(member.group)),
  }));

/** Names as programs write them, of words that are also written apart, and how people type them. */
const WRITTEN_NAMES = ["plan_budget", "planBudget", "acl_p1_f1", "aclP1F1", "budgets_title", "near_plan"] as const;
const TYPED_NAMES = ["plan_budget", "Plan_Budget", "acl_p1_f1", "x.acl_p1_f1", "budgets_title", "near_plan", "plan_or"];

/** A document with names beside its words, in its title or body. */
export const namedDocument: fc.Arbitrary<ModelDocument> = fc
  .tuple(document, fc.subarray([...WRITTEN_NAMES], { maxLength: 3 }), fc.boolean())
  .map(([one, names, isTitle]) =>
    isTitle ? { ...one, title: [...names, ...one.title] } : { ...one, body: [...one.body, ...names] },
  );

/** A world in which a few documents have names. The plain evaluation doesn't know these. */
export const namedWorld: fc.Arbitrary<ModelWorld> = fc
  .tuple(world, fc.array(namedDocument, { maxLength: 6 }))
  .map(([one, named]) => ({ ...one, documents: [...one.documents, ...named] }));

/** One to three words as people type them in a row, often names or short titles, with the last one finished or not. */
export const namedQuery: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...TYPED_NAMES), word), { minLength: 1, maxLength: 3 }),
    fc.constantFrom("", " "),
  )
  .map(([list, end]) => list.join(" ") + end);

const field: fc.Arbitrary<ModelClause> = fc
  .oneof(
    fc.record({ field: fc.constant("type"), value: fc.constantFrom(...TYPES, "page", "None") }),
    fc.record({ field: fc.constant("from"), value: fc.constantFrom("ADA MARLOW", "ben@acme.example", "Ben", "Ada") }),
    fc.record({ field: fc.constant("reviewstatus"), value: fc.constantFrom(...STATUSES, "APPROVED", "review") }),
    fc.record({ field: fc.constant("reviewlabels"), value: fc.constantFrom(...LABELS, "dark blue", "blue") }),
    fc.record({ field: fc.constantFrom("reviewnote", "reviewhidden"), value: word.map(String) }),
    fc.record({ field: fc.constantFrom("acl", "title", "plan"), value: word.map(String) }),
  )
  .map(({ field: of, value }) => ({ kind: "field", field: of, values: [value] }));

/** A field as it is typed: an author in quotes, or by words of the name. */
const typedField: fc.Arbitrary<ModelClause> = fc.oneof(
  { arbitrary: field, weight: 5 },
  {
    arbitrary: fc
      .constantFrom("ada", "MARLOW", "marlow.ada", "ben", "acme")
      .map((value) => ({ kind: "field" as const, field: "from", values: [value], isPart: true })),
    weight: 1,
  },
);

const words: fc.Arbitrary<ModelClause> = fc
  .array(word, { minLength: 1, maxLength: 2 })
  .map((list) => ({ kind: "words", words: list }));

const beginning: fc.Arbitrary<ModelClause> = fc
  .constantFrom(
    "pl",
    "pla",
    "plann",
    "planni",
    "bud",
    "budge",
    "budget",
    "ac",
    "re",
    "resu",
    "ista",
    "istanb",
    "p1",
    "no",
  )
  .map((start) => ({ kind: "words", words: [start], isBeginning: true }));

export interface Case {
  readonly name: Name;
  readonly query: ModelQuery;
  readonly last: ModelClause | null;
  readonly facets: readonly { readonly clause: ModelClause; readonly isUnwanted: boolean }[];
  readonly pageSize: number;
  readonly spelling: number;
}

export const asked: fc.Arbitrary<Case> = fc.record({
  name,
  query: fc.record({
    wanted: fc.array(fc.oneof({ arbitrary: words, weight: 3 }, { arbitrary: typedField, weight: 1 }), {
      minLength: 1,
      maxLength: 2,
    }),
    unwanted: fc.array(fc.oneof(words, typedField), { maxLength: 1 }),
    after: fc.option(fc.nat(4), { freq: 1, nil: null }).map((day) => (day === 0 ? day : null)),
    before: fc.option(fc.integer({ min: 1, max: 6 })).map((day) => (day === null || day < 4 ? null : day)),
  }),
  last: fc.option(beginning, { freq: 1 }),
  facets: fc.array(
    fc.record({
      clause: field.filter((clause) => clause.kind === "field" && /^(?:type|from|review)/.test(clause.field)),
      isUnwanted: fc.boolean(),
    }),
    { maxLength: 1 },
  ),
  pageSize: fc.constantFrom(3, 10, 100),
  spelling: fc.nat(11),
});

/** Spells a text as somebody may type it: unchanged, in capitals, without accents, or with normal width. */
function spelt(text: string, at: number): string {
  const spellings = [
    text,
    text.toUpperCase(),
    text.normalize("NFKD").replace(/[\u0300-\u036f]/g, ""),
    text.normalize("NFKC").replaceAll("ß", "ss"),
  ];
  return spellings[at % spellings.length] ?? text;
}

function typed(clause: ModelClause, at: number): string {
  if (clause.kind === "words") {
    const text = spelt(clause.words.join(" "), at);
    return clause.words.length > 1 || at % 2 === 0 ? `"${text}"` : text;
  }
  const [value = ""] = clause.values;
  const text = clause.field.startsWith("review") || clause.field === "from" ? value : spelt(value, at);
  const isQuoted = clause.field === "from" ? !clause.isPart : /\s/.test(text) || at % 3 === 0;
  return `${at % 2 === 0 ? clause.field : clause.field.toUpperCase()}:${isQuoted ? `"${text}"` : text}`;
}

export const day = (at: number) => `2024-01-${String(at + 1).padStart(2, "0")}`;

export function requestOf({ query, last, facets, spelling }: Case, datasource: string) {
  const parts = [
    ...query.wanted.map((clause, at) => typed(clause, spelling + at)),
    ...query.unwanted.map((clause, at) => `-${typed(clause, spelling + at)}`),
    ...(last?.kind === "words" ? last.words : [""]),
  ];
  const time = [
    ...(query.after === null ? [] : [{ value: day(query.after), relationType: "GT" }]),
    ...(query.before === null ? [] : [{ value: day(query.before), relationType: "LT" }]),
  ];
  const facetFilters = [
    ...facets.map(({ clause, isUnwanted }) => ({
      fieldName: clause.kind === "field" ? clause.field : "",
      values:
        clause.kind === "field"
          ? clause.values.map((value) => ({ value, relationType: isUnwanted ? "NOT_EQUALS" : "EQUALS" }))
          : [],
    })),
    ...(time.length === 0 ? [] : [{ fieldName: "last_updated_at", values: time }]),
  ];
  return { query: parts.join(" "), requestOptions: { datasourceFilter: datasource, facetFilters } };
}

/**
 * Returns what a search promises: documents with all of its words come first, followed by those that only lack unquoted words.
 */
export function promisesOf(one: Case): {
  readonly first: ModelQuery;
  readonly any: ModelQuery;
  /** What the API finds if no document has what was in quotes; `null` means nothing. */
  readonly unquoted: ModelQuery | null;
} {
  const query = evaluated(one);
  const telling = { ...query, wanted: query.wanted.filter((clause, at) => !isOptional(clause, at, one)) };
  const first = telling.wanted.some((clause) => clause.kind === "words") ? telling : query;
  const isQuoted = (clause: ModelClause, at: number) => isRequired(clause, at, one);
  const isPlain = (clause: ModelClause, at: number) => clause.kind === "words" && !isQuoted(clause, at);
  const fields = query.wanted.filter((clause) => isFilter(clause));
  const isQuestion = query.wanted.filter(isPlain).length >= 3 && query.unwanted.length === 0;
  const mayLoseQuotes = query.wanted.some(isQuoted) && isQuestion;
  return { first, any: needed(query, one), unquoted: mayLoseQuotes ? { ...query, wanted: fields } : null };
}

/**
 * Returns what a search requests, in the simplest form: fields of the request become clauses like those of the query.
 */
function evaluated({ query, last, facets }: Case): ModelQuery {
  return {
    ...query,
    wanted: [
      ...query.wanted,
      ...(last ? [last] : []),
      ...facets.filter(({ isUnwanted }) => !isUnwanted).map(({ clause }) => clause),
    ],
    unwanted: [...query.unwanted, ...facets.filter(({ isUnwanted }) => isUnwanted).map(({ clause }) => clause)],
  };
}

/**
 * Whether a document need not have these words: unquoted ones that only join others, if the search has other clauses.
 */
function isOptional(clause: ModelClause, at: number, { spelling }: Case): boolean {
  if (clause.kind !== "words" || clause.words.length > 1) return false;
  const isQuoted = clause.isBeginning !== true && (spelling + at) % 2 === 0;
  return !isQuoted && clause.words.every((one) => isStopWord(one, ["en"]));
}

/** Returns the query without unquoted words. A document that only lacks those is still found, after the others. */
function needed(query: ModelQuery, one: Case): ModelQuery {
  return {
    ...query,
    wanted: query.wanted.filter((clause, at) => isFilter(clause) || isRequired(clause, at, one)),
  };
}

function isFilter(clause: ModelClause): boolean {
  return clause.kind === "field" && /^(?:type|from|review)/.test(clause.field);
}

/** Whether the words are typed in quotes. */
function isRequired(clause: ModelClause, at: number, { spelling }: Case): boolean {
  if (clause.kind !== "words" || clause.isBeginning === true) return false;
  return clause.words.length > 1 || (spelling + at) % 2 === 0;
}
