import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { parseRequest } from "#client-api/search/request.ts";
import type { DocumentChange, DocumentSearch, FoundPage, Seer } from "#documents/engine.ts";
import { USUAL_LANGUAGES } from "#documents/languages.ts";
import type { DocumentReference, KeyValues, MetadataGroup } from "#documents/metadata/metadata.ts";
import { aDocument, DATASOURCE } from "../documents/world.ts";
import { objectCalls } from "./object.ts";
import { PostgresWorld } from "./world.ts";

const DOCUMENTS = 40;

const groupOf = (id: number, name: string): MetadataGroup => ({
  id,
  name,
  display: name,
  version: 1,
  keys: [
    { id, name: "key", display: "key", facetName: `${name}key`, propertyType: "MULTIPICKLIST", skipIndexing: true },
  ],
});
const [planted, review] = [groupOf(1, "planted"), groupOf(2, "review")];

/** Returns values that are as large as they may be, and random, so that they can't be compressed. */
const large = (at: number) =>
  Array.from({ length: 90 }, (_, nth) =>
    [0, 1, 2, 3].map((part) => createHash("sha512").update(`${at} ${nth} ${part}`).digest("base64url")).join(""),
  );

it("facets count large values of a metadata group only in the first documents, and other groups in all, in both engines", async () => {
  const { engine, instanceId } = await PostgresWorld.begin();
  const server: Calls = {
    apply: (changes) => engine.apply(instanceId, changes),
    putValues: (reference, group, values) => engine.putValues(instanceId, reference, group, values),
    find: (search, seer) => engine.find(instanceId, search, seer),
  };
  for (const calls of [objectCalls(() => 1000), server]) {
    const ids = Array.from({ length: DOCUMENTS }, (_, at) => String(at));
    await calls.apply(ids.map((id) => ({ act: "put", document: aDocument(id, { title: "tide" }) })));
    for (const [at, externalId] of ids.entries()) {
      const reference = { whole: externalId, datasource: DATASOURCE, externalId };
      const valueOf = (values: readonly string[]) => [{ name: "key", display: "key", isList: true, values }];
      await calls.putValues(reference, planted, valueOf(["known", ...large(at)]));
      await calls.putValues(reference, review, valueOf(["approved"]));
    }
    const { query: _query, cursor: _cursor, ...asked } = parseRequest({ query: "tide " });
    const preferences = { languages: USUAL_LANGUAGES, recentAt: null };
    const search = { ...asked, facetBuckets: 5, position: null, preferences };
    const { facets } = await calls.find(search, { email: "ada@acme.example", directoryGroups: [] });
    const counts = new Map(facets.map(({ field, buckets }) => [field, buckets[0]?.count]));
    expect(counts.get("reviewkey")).toBe(DOCUMENTS);
    expect(counts.get("plantedkey")).toBeGreaterThan(5);
    expect(counts.get("plantedkey")).toBeLessThan(DOCUMENTS / 2);
  }
});

/** The calls that this test makes to both engines. */
interface Calls {
  apply(changes: readonly DocumentChange[]): unknown;
  putValues(reference: DocumentReference, group: MetadataGroup, values: readonly KeyValues[]): unknown;
  find(search: DocumentSearch, seer: Seer): FoundPage | Promise<FoundPage>;
}
