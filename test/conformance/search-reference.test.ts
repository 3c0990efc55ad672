import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { anyText } from "../support/any-text.ts";
import { AppClient } from "../support/app-client.ts";
import { draft, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { makeInstance } from "../support/world.ts";

/** Each person with what permissions may call them. */
const PEOPLE = {
  ben: ["everyone", "ben@acme.example", "engineering"],
  carla: ["everyone", "carla@acme.example", "finance"],
  elin: ["everyone", "elin@acme.example", "engineering", "finance"],
  farid: ["everyone", "farid@acme.example"],
} as const;

type Name = keyof typeof PEOPLE;
const NAMES = Object.keys(PEOPLE) as Name[];

/** Few words, so that they meet; some look like operators, columns and principals. */
const WORDS = ["plan", "budget", "acl", "p1", "p2", "or", "not", "near", "title", "résumé"];

/** What a person could type in order to read what they may not. */
const INJECTIONS = [
  "plan) OR acl:(p2",
  "{acl} : p1",
  'budget" OR acl:"p3',
  "^plan",
  "NEAR(plan p2)",
  "pl*",
  "))",
  '"',
  "acl:p1 AND",
  "\u0000",
];

interface Case {
  readonly documents: readonly { readonly title: string[]; readonly body: string[]; readonly principals: string[] }[];
  readonly queries: readonly { readonly name: Name; readonly wanted: string[][]; readonly unwanted: string[][] }[];
  readonly injections: readonly { readonly name: Name; readonly query: string }[];
}

const words = (least: number, most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: least, maxLength: most });
const name = fc.constantFrom(...NAMES);
const principal = fc.constantFrom(...new Set(Object.values(PEOPLE).flat()), "board", "zoe@acme.example");

const cases: fc.Arbitrary<Case> = fc.record({
  documents: fc.array(
    fc.record({ title: words(1, 3), body: words(0, 6), principals: fc.uniqueArray(principal, { maxLength: 2 }) }),
    { minLength: 15, maxLength: 25 },
  ),
  queries: fc.array(
    fc.record({
      name,
      wanted: fc.array(words(1, 2), { minLength: 1, maxLength: 2 }),
      unwanted: fc.array(words(1, 2), { maxLength: 1 }),
    }),
    { minLength: 20, maxLength: 20 },
  ),
  injections: fc.array(
    fc.record({
      name,
      query: fc
        .array(fc.oneof(fc.constantFrom(...INJECTIONS, ...WORDS), anyText), {
          minLength: 1,
          maxLength: 3,
        })
        .map((parts) => parts.join(" ")),
    }),
    { minLength: 10, maxLength: 10 },
  ),
});

/** Whether the words stand in a row in the text. */
function holds(text: readonly string[], phrase: readonly string[]): boolean {
  return text.some((_, at) => phrase.every((word, offset) => text[at + offset] === word));
}

function permits(principals: readonly string[], who: Name): boolean {
  return principals.some((one) => (PEOPLE[who] as readonly string[]).includes(one));
}

function permissionsOf(principals: readonly string[]) {
  return {
    allowAnonymousAccess: principals.includes("everyone"),
    allowedUsers: principals.filter((one) => one.includes("@")).map((email) => ({ email })),
    allowedGroups: principals.filter((one) => !one.includes("@") && one !== "everyone"),
  };
}

/** A term as somebody may type it: a word, a phrase, in capitals, without accents. */
function typed(term: readonly string[], at: number): string {
  const text = term.join(" ");
  const spelt = at % 3 === 0 ? text.toUpperCase() : at % 3 === 1 ? text.replaceAll("é", "e") : text;
  return term.length > 1 || at % 2 === 0 ? `"${spelt}"` : spelt;
}

describe("search against a plain evaluation of what it promises", () => {
  const tokens = {} as Record<Name, string>;
  let pipeline: Pipeline;
  let worlds = 0;

  beforeAll(async () => {
    pipeline = await Pipeline.of(await makeInstance());
    const app = await AppClient.registered();
    for (const who of NAMES) tokens[who] = (await app.tokens(who)).access_token;
  });

  async function ids(who: Name, query: string, datasource: string): Promise<number[]> {
    const body = { query, pageSize: 100, requestOptions: { datasourceFilter: datasource } };
    const { results } = await searchAnswer(tokens[who], body);
    return results.map((result) => Number(result.document.id.split(":")[1])).sort((left, right) => left - right);
  }

  it("finds what has the words and the person may see, all of it and nothing else", { timeout: 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ documents, queries, injections }) => {
        worlds += 1;
        const datasource = `world${worlds}`;
        await pipeline.index(
          ...documents.map(({ title, body, principals }, id) =>
            draft(String(id), {
              datasource,
              title: title.join(" "),
              body: { textContent: body.join(", ") },
              permissions: permissionsOf(principals),
            }),
          ),
        );
        for (const { name: who, wanted, unwanted } of queries) {
          const has = ({ title, body }: Case["documents"][number], phrase: string[]) =>
            holds(title, phrase) || holds(body, phrase);
          const expected = [...documents.keys()].filter((id) => {
            const document = documents[id];
            if (!document || !permits(document.principals, who)) return false;
            return wanted.every((term) => has(document, term)) && !unwanted.some((term) => has(document, term));
          });
          const query = [...wanted.map(typed), ...unwanted.map((term, at) => `-${typed(term, at)}`)].join(" ");
          expect([query, who, await ids(who, query, datasource)]).toEqual([query, who, expected]);
        }
        for (const { name: who, query } of injections) {
          for (const id of await ids(who, query, datasource)) {
            expect([query, who, permits(documents[id]?.principals ?? [], who)]).toEqual([query, who, true]);
          }
        }
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
