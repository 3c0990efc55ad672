import { parseRequest } from "#client-api/search/request.ts";
import { Refusal } from "#protocol/errors.ts";
import { describe, expect, it } from "vitest";

const DAY = 86_400;
const FIRST = Date.parse("2024-02-01T00:00:00Z") / 1000;

function refusal(body: Record<string, unknown>): [number, string | undefined] {
  try {
    parseRequest(body);
  } catch (error) {
    if (error instanceof Refusal) return [error.status, error.description.split(" ")[0]];
    throw error;
  }
  return [200, undefined];
}

const filtered = (...values: { value: string; relationType?: string }[]) => ({
  query: "x ",
  requestOptions: { facetFilters: [{ fieldName: "Last_Updated_At", values }] },
});

describe("the time filter of a search", () => {
  it.each([
    [filtered({ value: "2024-02-01", relationType: "GT" }), { from: FIRST + DAY, until: null }],
    [filtered({ value: "2024-02-01", relationType: "LT" }), { from: null, until: FIRST }],
    [filtered({ value: "2024-02-01" }), { from: FIRST, until: FIRST + DAY }],
    [
      filtered({ value: "2024-01-31", relationType: "GT" }, { value: "2024-02-03", relationType: "LT" }),
      { from: FIRST, until: FIRST + 2 * DAY },
    ],
    [{ query: "x last_updated_at:2024-02-01" }, { from: FIRST, until: FIRST + DAY }],
    [{ query: "x" }, null],
  ])("is read from a request: %j", (body, updated) => {
    expect(parseRequest(body).updated).toEqual(updated);
  });

  it.each(["2024-02-30", "2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "yesterday", "", "0000-00-00"])(
    "is refused with 422 for a day that does not exist: %j",
    (value) => {
      expect(refusal(filtered({ value, relationType: "GT" }))[0]).toBe(422);
    },
  );

  it("is refused if it is wrong in the query's text, too", () => {
    expect(refusal({ query: "x last_updated_at:2024-02-30" })[0]).toBe(422);
    expect(refusal({ query: "x -last_updated_at:2024-02-03" })).toEqual([400, "query"]);
  });
});

describe("facets", () => {
  it.each([
    [{}, 0],
    [{ facetBucketSize: 5 }, 5],
    [{ facetBucketSize: 5, responseHints: ["RESULTS"] }, 0],
    [{ responseHints: ["FACET_RESULTS"] }, 10],
    [{ responseHints: ["FACET_RESULTS"], facetBucketSize: 0 }, 0],
    [{ facetBucketSize: 10_000 }, 100],
  ])("are returned if they are requested: %j", (requestOptions, buckets) => {
    expect(parseRequest({ query: "x", requestOptions }).facetBuckets).toBe(buckets);
  });
});

describe("clauses", () => {
  const filter = (value: string) => ({ fieldName: "type", values: [{ value }] });
  const filtersOf = (filters: object[]) => ({ query: "plan plan ", requestOptions: { facetFilters: filters } });

  it("that filter are read once however often they are repeated, and words as often as they are typed", () => {
    const { clauses } = parseRequest(filtersOf(Array.from({ length: 200 }, () => filter("page"))));
    expect(clauses.map(({ text, filter: asked }) => text?.words[0] ?? asked?.field)).toEqual(["plan", "plan", "type"]);
  });

  it("that filter are limited to twenty, each with any number of values", () => {
    const different = (count: number) => filtersOf(Array.from({ length: count }, (_, at) => filter(`type ${at}`)));
    expect(refusal(different(20))[0]).toBe(200);
    expect(refusal(different(21))).toEqual([400, "requestOptions.facetFilters"]);
    const values = Array.from({ length: 200 }, (_, at) => ({ value: `type ${at}` }));
    expect(refusal(filtersOf([{ fieldName: "type", values }]))[0]).toBe(200);
  });
});

describe("members of the wrong type", () => {
  const options = (requestOptions: unknown) => ({ query: "x", requestOptions });
  it.each([
    ["query", { query: 7 }],
    ["timeoutMillis", { query: "x", timeoutMillis: "soon" }],
    ["requestOptions.datasourceFilter", options({ datasourceFilter: 1 })],
    ["requestOptions.facetBucketSize", options({ facetBucketSize: "many" })],
    ["requestOptions.facetBucketSize", options({ facetBucketSize: -1 })],
    ["timeoutMillis", { query: "x", timeoutMillis: 0 }],
    ["requestOptions.responseHints", options({ responseHints: "FACET_RESULTS" })],
    ["requestOptions.facetFilters", options({ facetFilters: {} })],
    ["requestOptions.facetFilters[0].fieldName", options({ facetFilters: [{ values: [] }] })],
    ["requestOptions.facetFilters[0].values", options({ facetFilters: [{ fieldName: "type" }] })],
    [
      "requestOptions.facetFilters[0].values[0].value",
      options({ facetFilters: [{ fieldName: "type", values: [{}] }] }),
    ],
    [
      "requestOptions.facetFilters[0].values[0].relationType",
      options({ facetFilters: [{ fieldName: "type", values: [{ value: "x", relationType: "LIKE" }] }] }),
    ],
    [
      "requestOptions.facetFilters[0].values",
      options({ facetFilters: [{ fieldName: "type", values: [{ value: "x", relationType: "GT" }] }] }),
    ],
    ["requestOptions", options({ datasourcesFilter: Array.from({ length: 201 }, () => "x") })],
  ])("are refused by name: %s", (member, body) => {
    expect(refusal(body)).toEqual([400, member]);
  });
});
