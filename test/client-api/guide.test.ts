import { beforeAll, describe, expect, it } from "vitest";
import guide from "../../docs/client-api.md?raw";
import { AppClient } from "../support/app-client.ts";
import { draft, Pipeline, searchAnswer } from "../support/pipeline.ts";
import { makeInstance, send } from "../support/world.ts";

/** The guide's requests: the first block of JSON for each call, with its path. */
const REQUESTS = [...guide.matchAll(/^`POST (\/rest\/api\/v1\/\w+)`[^]*?```json\n([^]*?)```/gm)].map(
  ([, path = "", json = ""]) => ({ path, body: JSON.parse(json) as Record<string, unknown> }),
);

/** The queries in the first column of the guide's table. */
const TABLE = guide.slice(guide.indexOf("| in `query`"), guide.indexOf("| in `requestOptions`"));
const QUERIES = [...TABLE.matchAll(/^\| (`.*?`) \| /gm)].flatMap(([, cell = ""]) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, query = ""]) => query),
);

describe("the guide to the Client API", () => {
  let token: string;

  beforeAll(async () => {
    const pipeline = await Pipeline.of(await makeInstance());
    await pipeline.index(draft("handbook/42", { title: "Release notes of the runbook", datasource: "wiki" }));
    token = (await (await AppClient.registered()).tokens("ben")).access_token;
  });

  const post = (path: string, body: unknown) =>
    send(path, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });

  it("has a request for each call of the API, and each works unchanged", async () => {
    expect(REQUESTS.map(({ path }) => path.split("/").at(-1))).toEqual(["search", "getdocuments", "chat"]);
    for (const { path, body } of REQUESTS) expect([path, (await post(path, body)).status]).toEqual([path, 200]);
  });

  it("has only queries that are understood", async () => {
    expect(QUERIES.length).toBeGreaterThan(8);
    for (const query of QUERIES) {
      expect([query, (await post("/rest/api/v1/search", { query })).status]).toEqual([query, 200]);
    }
    const { results } = await searchAnswer(token, { query: "relea" });
    expect(results).toHaveLength(1);
  });
});
