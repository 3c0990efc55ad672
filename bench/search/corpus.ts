import type { IndexableDocument, Principal } from "#documents/engine.ts";
import { Chance } from "../../test/support/chance.ts";

/**
 * Synthetic documents of an instance: words by Zipf's law, permissions as real directories and datasources have them.
 */

const SYLLABLES = Array.from("bcdfghjklmnpqrstvwxz").flatMap((consonant) =>
  ["a", "o", "u"].map((vowel) => consonant + vowel),
);
const VOCABULARY = 200_000;

/** Returns the word of a rank; 1 is the most common. One in four is a form of another word: `…s` or `…ing`. */
export function wordOfRank(rank: number): string {
  if (rank % 8 === 5) return `${wordOfRank(rank - 1)}s`;
  if (rank % 8 === 6) return `${wordOfRank(rank - 2)}ing`;
  const place = (rank * 7919 + 13) % SYLLABLES.length ** 3;
  const places = [place % SYLLABLES.length, Math.floor(place / 60) % SYLLABLES.length, Math.floor(place / 3600)];
  return places.map((at) => SYLLABLES[at]).join("");
}

/** The ranks of two words that no document has both of. */
export const NEVER_TOGETHER = [40, 41] as const;

export const DATASOURCES = ["drive", "tickets", "wiki", "chat"] as const;
const OBJECT_TYPES = ["file", "page", "message"] as const;

/** The numbers of groups of each datasource, and of the directory. */
const PROJECT_GROUPS = 4500;
const COMPANY_GROUPS = 12;

/** A document before it is made into text. */
export interface Drawn {
  /** Ranks of words. */
  readonly title: readonly number[];
  readonly body: readonly number[];
  readonly datasource: (typeof DATASOURCES)[number];
  readonly companyGroup: number | null;
  readonly projectGroups: readonly number[];
  readonly person: number | null;
}

/** Returns the document with a number, always the same. */
export function drawDocument(at: number): Drawn {
  const chance = new Chance(at * 2_654_435_761 + 7);
  const words = (count: number) =>
    Array.from({ length: count }, () => {
      const rank = Math.floor(VOCABULARY ** chance.next());
      return rank === NEVER_TOGETHER[at % 2] ? rank + 2 : rank;
    });
  const title = words(chance.between(3, 8));
  // Most are short; one in a hundred is long.
  const body = words(chance.happens(0.01) ? chance.between(500, 2000) : Math.floor(12 * 12 ** chance.next()));
  const hasProject = chance.happens(0.66);
  return {
    title,
    body,
    datasource: DATASOURCES[at % DATASOURCES.length] as Drawn["datasource"],
    companyGroup: chance.happens(0.85) ? chance.between(0, COMPANY_GROUPS - 1) : null,
    projectGroups: hasProject
      ? Array.from({ length: chance.between(1, 3) }, () => Math.floor(PROJECT_GROUPS ** chance.next()))
      : [],
    person: chance.happens(0.1) ? chance.between(0, 20_000) : null,
  };
}

/** Returns the same document as a pipeline sends it. */
export function documentOf(at: number): IndexableDocument {
  const { title, body, datasource, companyGroup, projectGroups, person } = drawDocument(at);
  const groups = [
    ...(companyGroup === null ? [] : [`company-${companyGroup}`]),
    ...projectGroups.map((group) => `project-${group}`),
  ];
  const principals: Principal[] = [...new Set(groups)].map((name) => ({ kind: "group", datasource, name }));
  if (person !== null) principals.push({ kind: "person", datasource: "", name: `person-${person}@acme.example` });
  const text = (ranks: readonly number[]) => ranks.map(wordOfRank).join(" ");
  return {
    datasource,
    externalId: String(at),
    objectType: OBJECT_TYPES[at % OBJECT_TYPES.length] as string,
    title: text(title),
    body: text(body),
    summary: null,
    url: `https://acme.example/${at}`,
    authorName: `Author ${at % 500}`,
    authorEmail: `author-${at % 500}@acme.example`,
    createdAt: null,
    updatedAt: 1_600_000_000 + (at % 1500) * 86_400,
    tags: [],
    keywords: "",
    principals,
  };
}

/** Returns a principal as the naive form indexes it. */
export function aclOf({ datasource, name }: Pick<Principal, "datasource" | "name">): string {
  return (datasource + name).replace(/[^a-z0-9]/g, "");
}

/** Somebody who searches. Company groups come from the directory, project groups from the datasources. */
export interface Person {
  readonly name: string;
  readonly email: string;
  readonly isInCompanyGroups: boolean;
  /**
   * The project groups in each datasource: this many, from this rank on. Groups of a lower rank have more documents.
   */
  readonly projectGroups: { readonly from: number; readonly count: number };
}

const person = (name: string, from: number, count: number, isInCompanyGroups = false): Person => ({
  name,
  email: `${name.replaceAll(/[ ,]/g, "-")}@acme.example`,
  isInCompanyGroups,
  projectGroups: { from, count },
});

export const PERSONS: readonly Person[] = [
  person("20", 900, 2, true),
  person("20 narrow", 36, 5),
  person("200", 55, 50),
  person("2,000", 280, 500),
  person("18,000", 1, 4500),
];

export function projectGroupsOf({ projectGroups: { from, count } }: Person): string[] {
  return Array.from({ length: count }, (_, at) => `project-${from + at}`);
}

export function directoryGroupsOf({ isInCompanyGroups }: Person): string[] {
  return isInCompanyGroups ? Array.from({ length: COMPANY_GROUPS }, (_, at) => `company-${at}`) : [];
}

export function maySee(drawn: Drawn, { isInCompanyGroups, projectGroups: { from, count } }: Person): boolean {
  if (isInCompanyGroups && drawn.companyGroup !== null) return true;
  return drawn.projectGroups.some((group) => group >= from && group < from + count);
}
