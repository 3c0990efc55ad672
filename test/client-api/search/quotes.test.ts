import { beforeAll, describe, expect, it } from "vitest";
import { AppClient } from "../../support/app-client.ts";
import { draft, Pipeline, searchAnswer } from "../../support/pipeline.ts";
import { makeInstance } from "../../support/world.ts";

describe("quoted words that no document has in sequence", () => {
  let token: string;

  beforeAll(async () => {
    const pipeline = await Pipeline.of(await makeInstance());
    const documents = Array.from({ length: 3 }, (_, at) => draft(`sails-${at}`, { title: "Sails for strong wind" }));
    await pipeline.index(...documents, draft("strong", { title: "Strong sails" }));
    token = (await (await AppClient.registered()).tokens("ben")).access_token;
  });

  const titles = ({ results }: Awaited<ReturnType<typeof searchAnswer>>) => results.map(({ title }) => title);

  it("count like other words, page by page, and the response says that they are missing", async () => {
    const query = 'which wind is for "wind strong" ';
    const first = await searchAnswer(token, { query, pageSize: 2 });
    const second = await searchAnswer(token, { query, pageSize: 2, cursor: first.cursor });
    expect([...titles(first), ...titles(second)]).toEqual([...Array(3).fill("Sails for strong wind"), "Strong sails"]);
    expect(first.metadata.missingWords).toContain("wind strong");
  });

  it("are a condition if a document has them, or if the query is not a question", async () => {
    expect(titles(await searchAnswer(token, { query: '"strong sails" wind' }))).toEqual(["Strong sails"]);
    for (const query of ['"wind strong"', '"wind strong" sails for', 'which wind is for "wind strong" -draft']) {
      expect([query, titles(await searchAnswer(token, { query }))]).toEqual([query, []]);
    }
  });
});
