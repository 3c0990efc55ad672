import { describe, expect, it } from "vitest";
import { MOST_OF } from "#documents/counts.ts";
import type { DocumentChange } from "#documents/engine.ts";
import type { PagePart, UploadItem } from "#documents/uploads/uploads.ts";
import { SqliteStore } from "../support/node/sqlite-store.ts";
import { applyChanges } from "#documents/apply.ts";
import { takePage } from "#documents/uploads/take-page.ts";
import { uploadPage } from "../documents/upload-page.ts";
import { aDocument } from "../documents/world.ts";
import { PostgresWorld } from "./world.ts";

/** An engine with one datasource, which can be marked as full. */
interface FullEngine {
  apply(changes: readonly DocumentChange[]): unknown;
  takePage(page: PagePart): unknown;
  fill(): unknown;
}

function inObject(): FullEngine {
  const store = new SqliteStore();
  return {
    apply: (changes) => store.transaction(() => applyChanges(store, changes, 1)),
    takePage: (page) => store.transaction(() => takePage(store, page, 1)),
    fill: () => store.exec("UPDATE datasources SET documents = ?1", MOST_OF.documents),
  };
}

async function inPostgres(): Promise<FullEngine> {
  const world = await PostgresWorld.begin();
  const { engine, instanceId } = world;
  return {
    apply: (changes) => engine.apply(instanceId, changes),
    takePage: (page) => engine.takePage(instanceId, page),
    fill: () => world.rows("UPDATE datasources SET documents = $2 WHERE instance_id = $1", MOST_OF.documents),
  };
}

const put = (id: string) => ({ act: "put", document: aDocument(id, { body: "a new version" }) }) as const;
const item = (id: string): UploadItem => ({ kind: "documents", document: aDocument(id, { body: "a new version" }) });

describe.each([
  ["the object", inObject],
  ["PostgreSQL", inPostgres],
])("a datasource with the maximum number of documents, in %s", (_engine, begin) => {
  it("accepts new versions of its documents, and no other documents", async () => {
    const engine = await begin();
    await engine.apply([put("known")]);
    await engine.fill();
    expect(await engine.apply([put("known")])).toEqual(["done"]);
    expect(await engine.apply([put("known"), put("unknown")])).toEqual(["full", "full"]);
  });

  it("accepts pages of uploads with new versions of its documents, and no page with others", async () => {
    const engine = await begin();
    await engine.apply([put("known")]);
    await engine.fill();
    const first = uploadPage({ isFirst: true, items: [item("known")] });
    expect(await engine.takePage(first)).toMatchObject({ received: 1 });
    const other = uploadPage({ hash: "other", items: [item("known"), item("unknown")] });
    expect(await engine.takePage(other)).toMatchObject({ refused: "full", reason: "datasource_full" });
  });
});
