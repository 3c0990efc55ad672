import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { anyText } from "../support/any-text.ts";
import { AppClient } from "../support/app-client.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { draft, Pipeline, type SearchAnswer, searchAnswer } from "../support/pipeline.ts";
import {
  answers,
  mayRead,
  type ModelDocument,
  type ModelQuery,
  type ModelWorld,
  WORDS,
} from "../support/search-model.ts";
import {
  asked,
  day,
  emailOf,
  INJECTIONS,
  type Name,
  name,
  NAMES,
  PEOPLE,
  promisesOf,
  requestOf,
  world,
} from "../support/search-worlds.ts";
import { stopCounting } from "../support/rate-limits.ts";
import { makeInstance } from "../support/world.ts";
import { runs } from "../support/properties.ts";

/** Tests the whole service. test/documents/reference.test.ts tests the search engine alone, with many more cases. */
const WORLDS = runs(1);
const QUERIES = 50;

describe("search, compared with a simple model of it", () => {
  const tokens = {} as Record<Name, string>;
  let pipeline: Pipeline;
  let metadata: MetadataPipeline;
  let worlds = 0;
  let cases = 0;

  beforeAll(async () => {
    const instance = await makeInstance();
    pipeline = await Pipeline.of(instance);
    metadata = await MetadataPipeline.of(instance);
    await metadata.describe("review", [
      { name: "status", propertyType: "PICKLIST" },
      { name: "labels", propertyType: "MULTIPICKLIST" },
      { name: "note", propertyType: "TEXT" },
      { name: "hidden", propertyType: "TEXT", skipIndexing: true },
    ]);
    const app = await AppClient.registered();
    for (const who of NAMES) tokens[who] = (await app.tokens(who)).access_token;
  });

  async function tell(path: string, body: unknown): Promise<void> {
    const response = await pipeline.post(`/api/index/v1/${path}`, body);
    if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }

  async function build({ documents, described, memberships }: ModelWorld, datasource: string): Promise<void> {
    for (const one of described) await tell("indexgroup", { datasource, group: { name: one } });
    for (const { group: groupName, kind, member } of memberships) {
      const who = kind === "user" ? { memberUserId: member } : { memberGroupName: member };
      await tell("indexmembership", { datasource, membership: { groupName, ...who } });
    }
    await pipeline.index(
      ...documents.map((one, id) =>
        draft(String(id), {
          datasource,
          title: one.title.join(" "),
          body: { textContent: one.body.join(", ") },
          objectType: one.type,
          ...(one.tag === null ? {} : { tags: [one.tag] }),
          ...(one.author === null ? {} : { author: one.author }),
          ...(one.updatedDay === null ? {} : { updatedAt: Date.parse(`${day(one.updatedDay)}T12:00:00Z`) / 1000 }),
          permissions: {
            allowAnonymousAccess: one.everyone,
            allowedUsers: one.users.map((email) => ({ email })),
            allowedGroups: one.groups,
            allowedGroupIntersections: one.intersections.map((requiredGroups) => ({ requiredGroups })),
          },
        }),
      ),
    );
    for (const [id, { values }] of documents.entries()) {
      if (values === null) continue;
      const having = Object.entries(values).filter(([, value]) => value !== null && value.length > 0);
      if (having.length > 0) await metadata.attach(`${datasource}:${id}`, "review", Object.fromEntries(having));
    }
  }

  /** Returns the documents on all pages. @throws if a document comes twice */
  async function ids(who: Name, body: Record<string, unknown>): Promise<number[]> {
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const answer: SearchAnswer = await searchAnswer(tokens[who], { ...body, ...(cursor && { cursor }) });
      seen.push(...answer.results.map((result) => Number(result.document.id.split(":")[1])));
      cursor = answer.cursor;
    } while (cursor !== undefined);
    if (new Set(seen).size !== seen.length) throw new Error(`found twice: ${seen.join(" ")}`);
    return seen;
  }

  it("returns all documents with every word first, then those with some, and none that the person may not see", async () => {
    const whole = fc.record({
      world,
      queries: fc.array(asked, { minLength: QUERIES, maxLength: QUERIES }),
      injections: fc.array(
        fc.record({
          name,
          query: fc
            .array(fc.oneof(fc.constantFrom(...INJECTIONS, ...WORDS), anyText), { minLength: 1, maxLength: 3 })
            .map((parts) => parts.join(" ")),
        }),
        { minLength: 10, maxLength: 10 },
      ),
    });
    // Each world writes values of metadata, and many worlds take less than a minute, so the limit per minute must be off.
    stopCounting("RATE_LIMIT_300");
    await fc.assert(
      fc.asyncProperty(whole, async ({ world: model, queries, injections }) => {
        worlds += 1;
        const datasource = `world${worlds}`;
        await build(model, datasource);
        const readable = (id: number, who: Name) =>
          mayRead(model.documents[id] as ModelDocument, model, emailOf(who), PEOPLE[who]);
        for (const one of queries) {
          cases += 1;
          const { first, any, unquoted } = promisesOf(one);
          const readableOf = (query: ModelQuery) =>
            [...model.documents.keys()].filter(
              (id) => readable(id, one.name) && answers(model.documents[id] as ModelDocument, query),
            );
          const body = { ...requestOf(one, datasource), pageSize: one.pageSize };
          const found = await ids(one.name, body);
          const [expected, strict] = [readableOf(first), readableOf(any)];
          const allowed = new Set(strict.length === 0 && unquoted !== null ? readableOf(unquoted) : strict);
          const sorted = (some: readonly number[]) => some.toSorted((left, right) => left - right);
          expect([body, one.name, sorted(found.slice(0, expected.length))]).toEqual([body, one.name, expected]);
          expect([body, one.name, found.filter((id) => !allowed.has(id))]).toEqual([body, one.name, []]);
        }
        for (const { name: who, query } of injections) {
          for (const id of await ids(who, { query, requestOptions: { datasourceFilter: datasource }, pageSize: 100 }))
            expect([query, who, id, readable(id, who)]).toEqual([query, who, id, true]);
        }
      }),
      { numRuns: WORLDS, endOnFailure: true },
    );
    expect(cases).toBe(WORLDS * QUERIES);
  });
});
