import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { EngineCalls } from "#documents/documents.ts";
import { SECOND_CONFIG } from "../../scripts/local/documents-postgres.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { bundleWorker } from "../support/node/bundled-worker.ts";
import { PostgresWorld } from "./world.ts";

/** Calls the engine as the main Worker does. */
const CALLER = `export default { async fetch(request, { DOCUMENTS_POSTGRES }) {
  const { call, given } = await request.json();
  try {
    return Response.json({ answer: (await DOCUMENTS_POSTGRES[call](...given)) ?? null });
  } catch (error) {
    return Response.json({ error: error.message });
  }
} };`;

let miniflare: Miniflare;

beforeAll(async () => {
  const engine = { modules: true, ...(await bundleWorker(SECOND_CONFIG)) } as const;
  const { compatibilityDate } = engine;
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      workers: [
        {
          name: "main",
          modules: true,
          script: CALLER,
          compatibilityDate,
          serviceBindings: { DOCUMENTS_POSTGRES: "engine" },
        },
        { ...engine, name: "engine", hyperdrives: { DATABASE: inject("postgres") } },
      ],
    }),
  );
  await miniflare.ready;
});

afterAll(() => miniflare.dispose());

async function ask<Call extends keyof EngineCalls>(
  call: Call,
  ...given: Parameters<EngineCalls[Call]>
): Promise<Awaited<ReturnType<EngineCalls[Call]>>> {
  const response = await miniflare.dispatchFetch("http://main/", {
    method: "POST",
    body: JSON.stringify({ call, given }),
  });
  const said = (await response.json()) as { answer: Awaited<ReturnType<EngineCalls[Call]>>; error?: string };
  if (said.error !== undefined) throw new Error(said.error);
  return said.answer;
}

it("the engine's Worker responds over a service binding, with a connection from Hyperdrive's pool", async () => {
  const { instanceId } = await PostgresWorld.begin();
  const seer = { email: "ada@acme.example", directoryGroups: ["board"] };
  const document = aDocument("one", {
    title: "Tide almanac",
    principals: [{ kind: "group", datasource: DATASOURCE, name: "board" }],
  });
  expect(await ask("apply", instanceId, [{ act: "put", document }])).toEqual(["done"]);
  const search = {
    clauses: [{ isUnwanted: false, filter: null, text: { words: ["tide"], isQuoted: false, isUnfinished: true } }],
    updated: null,
    pageSize: 10,
    excerptCharacters: 200,
    facetBuckets: 5,
    position: null,
    preferences: { languages: ["en"], recentAt: null },
  } as const;
  const found = await ask("find", instanceId, search, seer);
  expect(found.documents.map(({ externalId, title }) => [externalId, title])).toEqual([["one", "Tide almanac"]]);
  expect((await ask("find", instanceId, search, { ...seer, directoryGroups: [] })).documents).toEqual([]);
  expect(await ask("stats", instanceId)).toMatchObject({ datasources: [{ name: DATASOURCE, documents: 1 }] });
  await expect(ask("count", instanceId + 2 ** 51, DATASOURCE)).rejects.toThrow("documents_elsewhere");
});
