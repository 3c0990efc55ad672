import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import worker from "#index.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { InterruptedIsolate } from "../support/interrupted-isolate.ts";
import { draft, type DraftDocument, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, travel } from "../support/world.ts";

const BULK = "/api/index/v1/bulkindexdocuments";

interface Progress {
  readonly success: true;
  readonly uploadId: string;
  readonly status: string;
  readonly documentsReceived: number;
  readonly documentsStored: number;
  readonly documentsRemoved: number;
}

let instance: InstanceRecord;
let pipeline: Pipeline;
let reader: string;
let datasources = 0;

beforeAll(async () => {
  instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
  reader = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

afterEach(() => {
  vi.useRealTimers();
});

/** A datasource of a test's own, with these documents already in it. */
async function datasourceWith(...ids: string[]): Promise<string> {
  datasources += 1;
  const datasource = `source${datasources}`;
  if (ids.length > 0) await pipeline.index(...ids.map((id) => of(datasource, id)));
  return datasource;
}

function of(datasource: string, id: string, changes: Record<string, unknown> = {}): DraftDocument {
  return draft(id, { datasource, title: `${datasource} ${id}`, ...changes });
}

function page(datasource: string, ids: readonly string[], changes: Record<string, unknown> = {}) {
  return { uploadId: "nightly", datasource, documents: ids.map((id) => of(datasource, id)), ...changes };
}

const FIRST = { isFirstPage: true };
const LAST = { isLastPage: true };
const ONLY = { ...FIRST, ...LAST };

async function upload(body: object): Promise<Progress> {
  const response = await pipeline.post(BULK, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response.json<Progress>();
}

function post(isolate: InterruptedIsolate, body: object): Promise<Response> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${pipeline.token}` };
  return isolate.send(BULK, { method: "POST", headers, body: JSON.stringify(body) });
}

async function refusal(body: object): Promise<[number, string, string]> {
  const response = await pipeline.post(BULK, body);
  const { error, message } = await readRefusal(response);
  return [response.status, error, message];
}

/** The ids of a datasource's documents that anybody in the organisation finds. */
function visible(datasource: string): Promise<string[]> {
  return found(reader, datasource);
}

async function countOf(datasource: string): Promise<number> {
  const response = await pipeline.post("/api/index/v1/getdocumentcount", { datasource });
  return (await response.json<{ documentCount: number }>()).documentCount;
}

async function cleanUp(): Promise<void> {
  await worker.scheduled(createScheduledController(), env);
}

function rows(table: "staged_documents" | "bulk_uploads"): Promise<number | null> {
  return env.DB.prepare(`SELECT count(*) AS rows FROM ${table}`).first<number>("rows");
}

describe("a bulk upload", () => {
  it("shows and removes nothing before its last page, and then is what the datasource has", async () => {
    const datasource = await datasourceWith("old", "stays");
    expect(await upload(page(datasource, ["stays", "new-1"], FIRST))).toEqual({
      success: true,
      uploadId: "nightly",
      status: "receiving",
      documentsReceived: 2,
      documentsStored: 0,
      documentsRemoved: 0,
    });
    expect(await upload(page(datasource, ["new-2"]))).toMatchObject({ status: "receiving", documentsReceived: 3 });
    expect(await visible(datasource)).toEqual(["old", "stays"]);
    expect(await upload(page(datasource, ["new-3"], LAST))).toEqual({
      success: true,
      uploadId: "nightly",
      status: "done",
      documentsReceived: 4,
      documentsStored: 4,
      documentsRemoved: 1,
    });
    expect(await visible(datasource)).toEqual(["new-1", "new-2", "new-3", "stays"]);
    expect(await countOf(datasource)).toBe(4);
  });

  it("replaces texts and permissions, and takes the last of two documents with one id", async () => {
    const datasource = await datasourceWith("a", "b");
    await upload({ ...page(datasource, [], FIRST), documents: [of(datasource, "a", { title: "Grebe" })] });
    await upload({
      ...page(datasource, [], LAST),
      documents: [
        of(datasource, "a", { title: `Smew ${datasource}` }),
        of(datasource, "b", { permissions: { allowedUsers: [{ email: "carla@acme.example" }] } }),
      ],
    });
    expect(await visible("grebe")).toEqual([]);
    expect(await visible("smew")).toEqual(["a"]);
    expect(await visible(datasource)).toEqual(["a"]);
  });

  it("touches no other datasource, and no other instance", async () => {
    const [datasource, neighbour] = [await datasourceWith("a"), await datasourceWith("a", "b")];
    const elsewhere = await Pipeline.of(
      await makeInstance("other"),
      "documents:global_scope",
      "http://other.localhost",
    );
    await elsewhere.index(of(datasource, "theirs"));
    await upload(page(datasource, [], ONLY));
    expect(await visible(datasource)).toEqual([]);
    expect(await visible(neighbour)).toEqual(["a", "b"]);
    const count = await elsewhere.post("/api/index/v1/getdocumentcount", { datasource });
    expect(await count.json()).toEqual({ documentCount: 1 });
  });

  it("writes no row of a document that is as it was", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a", "b", "c"], ONLY));
    await env.DB.exec(
      "CREATE TABLE touched (id); CREATE TRIGGER touch AFTER UPDATE ON documents BEGIN INSERT INTO touched VALUES (new.external_id); END;".replaceAll(
        "\n",
        " ",
      ),
    );
    const documents = [of(datasource, "a"), of(datasource, "b", { title: "changed" }), of(datasource, "c")];
    await upload({ ...page(datasource, [], ONLY), documents });
    const { results } = await env.DB.prepare("SELECT id FROM touched").all();
    await env.DB.exec("DROP TRIGGER touch; DROP TABLE touched;");
    expect(results).toEqual([{ id: "b" }]);
  });

  it("takes the place of large documents in steps, each within what one transaction may cost", async () => {
    const datasource = await datasourceWith();
    const large = (id: string) => of(datasource, id, { body: { textContent: `${id} `.padEnd(900_000, "x") } });
    for (let at = 0; at < 12; at += 1) await pipeline.index(large(`large-${String(at).padStart(2, "0")}`));
    await upload(page(datasource, ["large-00", "large-11", "small"], FIRST));
    const isolate = new InterruptedIsolate();
    await post(isolate, { datasource: "nothing" });
    isolate.loseDatabaseAfter(13);
    expect((await post(isolate, page(datasource, [], LAST))).status).toBe(503);
    // Some of them are gone, and not yet all.
    expect([3, 13]).not.toContain(await countOf(datasource));
    expect(await upload(page(datasource, [], LAST))).toMatchObject({
      status: "done",
      documentsStored: 3,
      documentsRemoved: 10,
    });
    expect(await visible(datasource)).toEqual(["large-00", "large-11", "small"]);
  });

  it("keeps the row of a document that it replaces, and so its custom metadata", async () => {
    const datasource = await datasourceWith("a", "gone");
    await env.DB.prepare(
      `INSERT INTO document_metadata (document_id, group_id, entries, words, filters)
       SELECT id, 77, '{}', '{}', '{}' FROM documents WHERE datasource = ?1`,
    )
      .bind(datasource)
      .run();
    await env.DB.prepare("UPDATE documents SET metadata = 'siskin' WHERE datasource = ?1").bind(datasource).run();
    await upload({ ...page(datasource, [], ONLY), documents: [of(datasource, "a", { title: "another" })] });
    const kept = await env.DB.prepare(
      "SELECT d.external_id, d.metadata FROM document_metadata m JOIN documents d ON d.id = m.document_id WHERE m.group_id = 77",
    ).all();
    expect(kept.results).toEqual([{ external_id: "a", metadata: "siskin" }]);
    const left = await env.DB.prepare("SELECT count(*) AS rows FROM document_metadata WHERE group_id = 77").first(
      "rows",
    );
    expect(left).toBe(1);
  });
});

describe("pages of a bulk upload out of order", () => {
  it("a page without a first page", async () => {
    const datasource = await datasourceWith("old");
    const [status, error, message] = await refusal(page(datasource, ["a"], LAST));
    expect([status, error]).toEqual([409, "conflict"]);
    expect(message).toContain("isFirstPage: true");
    expect(await visible(datasource)).toEqual(["old"]);
  });

  it("another first page, until it says that the upload starts again", async () => {
    const datasource = await datasourceWith("old");
    await upload(page(datasource, ["a"], FIRST));
    for (const changes of [FIRST, { ...FIRST, uploadId: "other" }]) {
      const [status, error, message] = await refusal(page(datasource, ["b"], changes));
      expect([status, error]).toEqual([409, "conflict"]);
      expect(message).toContain("forceRestartUpload: true");
    }
    await upload(page(datasource, ["c"], { ...FIRST, uploadId: "other", forceRestartUpload: true }));
    expect((await refusal(page(datasource, ["a2"])))[0]).toBe(409);
    await upload(page(datasource, ["d"], { ...LAST, uploadId: "other" }));
    expect(await visible(datasource)).toEqual(["c", "d"]);
  });

  it("a page of another upload", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    const [status, , message] = await refusal(page(datasource, ["b"], { uploadId: "tomorrow" }));
    expect(status).toBe(409);
    expect(message).toContain('"nightly"');
    await upload(page(datasource, ["c"], LAST));
    expect(await visible(datasource)).toEqual(["a", "c"]);
  });

  it("a second last page", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    await upload(page(datasource, ["b"], LAST));
    expect((await refusal(page(datasource, ["c"], LAST))).slice(0, 2)).toEqual([409, "conflict"]);
    expect((await refusal(page(datasource, ["c"]))).slice(0, 2)).toEqual([409, "conflict"]);
    expect(await visible(datasource)).toEqual(["a", "b"]);
  });

  it("a first page again after other pages: what was staged then is not what the pipeline means now", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    await upload(page(datasource, ["b"]));
    expect((await refusal(page(datasource, ["a"], FIRST)))[0]).toBe(409);
  });

  it("any page repeated after a lost answer is harmless", async () => {
    const datasource = await datasourceWith("old");
    for (const changes of [FIRST, {}, LAST]) {
      const sent = page(datasource, [`page-${JSON.stringify(changes)}`], changes);
      const answer = await upload(sent);
      expect(await upload(sent)).toEqual(answer);
    }
    expect(await visible(datasource)).toHaveLength(3);
    const only = page(datasource, ["single"], ONLY);
    await upload(only);
    await upload(only);
    expect(await visible(datasource)).toEqual(["single"]);
  });

  it("pages of the middle may come at the same time", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["0"], FIRST));
    await Promise.all(["1", "2", "3", "4"].map((id) => upload(page(datasource, [id]))));
    expect(await upload(page(datasource, ["5"], LAST))).toMatchObject({ status: "done", documentsReceived: 6 });
    expect(await visible(datasource)).toEqual(["0", "1", "2", "3", "4", "5"]);
  });

  it("the last page may come several times at once", async () => {
    const datasource = await datasourceWith("old");
    await upload(page(datasource, ["a"], FIRST));
    const last = page(datasource, ["b"], LAST);
    const answers = await Promise.all([last, last, last, last].map(upload));
    expect(answers.map((answer) => answer.documentsReceived)).toEqual([2, 2, 2, 2]);
    expect(await visible(datasource)).toEqual(["a", "b"]);
  });

  it.each([
    ["uploadId", { uploadId: undefined }],
    ["uploadId", { uploadId: "" }],
    ["isFirstPage", { isFirstPage: "true" }],
    ["documents", { documents: undefined }],
    ["documents", { documents: Array.from({ length: 501 }, (_, at) => draft(`${at}`)) }],
    ["documents[0].viewURL", { documents: [draft("x", { viewURL: "x", datasource: undefined })] }],
    ["documents[0].datasource", { documents: [draft("x", { datasource: "elsewhere" })] }],
    ["forceRestartUpload", { isFirstPage: false, forceRestartUpload: true }],
  ])("a page with a wrong %s is refused, and nothing of it is kept", async (member, changes) => {
    const before = [await rows("bulk_uploads"), await rows("staged_documents")];
    const datasource = await datasourceWith();
    const [status, error, message] = await refusal(page(datasource, ["a"], { ...FIRST, ...changes }));
    expect([status, error, message.split(" ")[0]]).toEqual([400, "bad_request", member]);
    expect([await rows("bulk_uploads"), await rows("staged_documents")]).toEqual(before);
  });

  it("a token that does not cover the datasource hears of nothing", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    const stranger = await Pipeline.of(instance, "documents:elsewhere");
    const response = await stranger.post(BULK, page(datasource, ["b"]));
    expect([response.status, (await readRefusal(response)).error]).toEqual([401, "invalid_token"]);
  });
});

describe("a bulk upload that is interrupted", () => {
  it("at any moment of its last page shows all of the old or all of the new, and ends when the page is repeated", async () => {
    for (let roundTrips = 0; ; roundTrips += 1) {
      const datasource = await datasourceWith("old-1", "both", "old-2");
      await upload(page(datasource, ["both", "new-1"], FIRST));
      const last = page(datasource, ["new-2"], LAST);
      const isolate = new InterruptedIsolate();
      // The gate's own first look at the instance is no part of this.
      await post(isolate, { datasource: "nothing" });
      isolate.loseDatabaseAfter(roundTrips);
      const { status } = await post(isolate, last);
      expect([200, 503]).toContain(status);
      const [before, after] = [
        ["both", "old-1", "old-2"],
        ["both", "new-1", "new-2"],
      ];
      expect([before, after]).toContainEqual(await visible(datasource));
      if (roundTrips % 2 === 0) await cleanUp();
      else await upload(last);
      if (roundTrips % 2 === 0 && (await visible(datasource)).includes("old-1")) await upload(last);
      expect(await visible(datasource)).toEqual(after);
      if (status === 200) break;
    }
  });

  it("and is too large for one transaction adds before it removes, and the clean-up ends it", async () => {
    const datasource = await datasourceWith("absent-1", "absent-2", "doc-0001");
    const ids = Array.from({ length: 2100 }, (_, at) => `doc-${String(at).padStart(4, "0")}`);
    for (let at = 0; at < 2000; at += 500) {
      await upload(page(datasource, ids.slice(at, at + 500), at === 0 ? FIRST : {}));
    }
    const isolate = new InterruptedIsolate();
    await post(isolate, { datasource: "nothing" });
    isolate.loseDatabaseAfter(9);
    const last = page(datasource, ids.slice(2000), LAST);
    expect((await post(isolate, last)).status).toBe(503);
    const partly = await countOf(datasource);
    expect(partly).toBeGreaterThan(500);
    expect(partly).toBeLessThan(2102);
    expect(await visible(`${datasource} absent`)).toEqual(["absent-1", "absent-2"]);
    // What happens to single documents meanwhile is newer than the upload, and stays.
    await pipeline.index(of(datasource, "newcomer"), of(datasource, "doc-2099", { title: `Pintail ${datasource}` }));
    await pipeline.post("/api/index/v1/deletedocument", { datasource, objectType: "Document", id: "doc-2098" });
    await pipeline.post("/api/index/v1/updatepermissions", { datasource, id: "doc-2097", permissions: {} });
    expect((await refusal(page(datasource, ["x"], { ...FIRST, uploadId: "next" }))).slice(0, 2)).toEqual([
      409,
      "conflict",
    ]);
    await cleanUp();
    expect(await countOf(datasource)).toBe(2100);
    expect(await visible(`${datasource} absent`)).toEqual([]);
    expect(await visible(`${datasource} newcomer`)).toEqual(["newcomer"]);
    expect(await visible("pintail")).toEqual(["doc-2099"]);
    for (const id of ["doc-2098", "doc-2097"]) expect(await visible(`"${datasource} ${id}"`)).toEqual([]);
    expect(await upload(last)).toMatchObject({ status: "done", documentsReceived: 2100, documentsRemoved: 2 });
    await cleanUp();
    expect(await rows("staged_documents")).toBe(await stagedOfOthers(datasource));
  });

  it("by its own last page or by a restart, between looking and adding, takes no page more and says so", async () => {
    for (const meanwhile of [LAST, { ...FIRST, uploadId: "again", forceRestartUpload: true }]) {
      const datasource = await datasourceWith();
      await upload(page(datasource, ["a"], FIRST));
      const isolate = new InterruptedIsolate();
      await post(isolate, { datasource: "nothing" });
      isolate.interposeAfter(1, () => upload(page(datasource, ["b"], meanwhile)));
      expect((await post(isolate, page(datasource, ["late"]))).status).toBe(409);
      expect(await stagedOf(datasource)).toBe(meanwhile === LAST ? 0 : 2);
      await upload(page(datasource, [], { uploadId: "again", ...(meanwhile === LAST ? ONLY : LAST) }));
      expect(await visible(datasource)).toEqual(meanwhile === LAST ? [] : ["b"]);
    }
  });

  it("by the database, again and again, gives way to an upload that starts over, and holds up no other", async () => {
    const [datasource, neighbour] = [await datasourceWith("old"), await datasourceWith("old")];
    await env.DB.exec(
      `CREATE TRIGGER poison BEFORE INSERT ON documents WHEN new.external_id = 'poison' BEGIN SELECT RAISE(ABORT, 'no'); END;`,
    );
    for (const each of [datasource, neighbour]) {
      await upload(page(each, ["a"], FIRST));
      await env.DB.prepare("UPDATE bulk_uploads SET stage = 'storing', completed_at = changed_at WHERE datasource = ?1")
        .bind(each)
        .run();
    }
    await env.DB.prepare(
      "UPDATE staged_documents SET external_id = 'poison' WHERE upload = (SELECT id FROM bulk_uploads WHERE datasource = ?1)",
    )
      .bind(datasource)
      .run();
    await cleanUp();
    expect([await visible(datasource), await visible(neighbour)]).toEqual([["old"], ["a"]]);
    expect((await refusal(page(datasource, ["b"], ONLY)))[0]).toBe(409);
    await upload(page(datasource, ["b"], { ...ONLY, forceRestartUpload: true }));
    expect(await visible(datasource)).toEqual(["b"]);
    await env.DB.exec("DROP TRIGGER poison;");
  });

  it("and never goes on changes nothing, and is swept after days", async () => {
    const datasource = await datasourceWith("old");
    await upload(page(datasource, ["a"], FIRST));
    await cleanUp();
    expect(await stagedOf(datasource)).toBe(1);
    travel(4 * 24 * 3600);
    await cleanUp();
    expect(await stagedOf(datasource)).toBe(0);
    expect(await visible(datasource)).toEqual(["old"]);
    vi.useRealTimers();
    expect((await refusal(page(datasource, ["b"], LAST)))[0]).toBe(409);
    await upload(page(datasource, ["b"], ONLY));
    expect(await visible(datasource)).toEqual(["b"]);
  });
});

async function stagedOf(datasource: string): Promise<number> {
  const staged = await env.DB.prepare(
    "SELECT count(*) AS rows FROM staged_documents s JOIN bulk_uploads u ON u.id = s.upload WHERE u.datasource = ?1",
  )
    .bind(datasource)
    .first<number>("rows");
  return staged ?? 0;
}

async function stagedOfOthers(datasource: string): Promise<number> {
  return Number(await rows("staged_documents")) - (await stagedOf(datasource));
}
