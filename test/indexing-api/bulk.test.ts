import type { InstanceRecord } from "#instance/instances.ts";
import type { Bindings } from "#platform/bindings.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { readRefusal } from "../support/challenge.ts";
import { evictDocuments, rowsIn, runUpkeep } from "../support/documents.ts";
import { env } from "../support/isolate.ts";
import { MetadataPipeline } from "../support/metadata-pipeline.ts";
import { draft, type DraftDocument, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, send, travel } from "../support/world.ts";

const BULK = "/api/index/v1/bulkindexdocuments";

interface Progress {
  readonly success: true;
  readonly uploadId: string;
  readonly status: string;
  readonly documentsReceived: number;
  readonly documentsStored: number;
  readonly documentsRemoved: number;
}

interface UploadStatus {
  readonly status: string;
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

/** Returns a datasource for one test, with these documents already in it. */
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

async function refusal(body: object): Promise<[number, string, string]> {
  const response = await pipeline.post(BULK, body);
  const { error, message } = await readRefusal(response);
  return [response.status, error, message];
}

/** Returns the ids of a datasource's documents that anybody in the organisation finds. */
function visible(datasource: string): Promise<string[]> {
  return found(reader, datasource);
}

async function countOf(datasource: string): Promise<number> {
  const response = await pipeline.post("/api/index/v1/getdocumentcount", { datasource });
  return (await response.json<{ documentCount: number }>()).documentCount;
}

function rows(table: "documents" | "bulk_uploads" | "upload_pages" | "single_changes"): Promise<object[]> {
  return rowsIn(instance, `SELECT * FROM ${table}`);
}

/** Returns the latest uploads of a datasource according to `uploadstatus`. */
async function statuses(datasource: string): Promise<UploadStatus[]> {
  const response = await pipeline.post("/api/index/v1/uploadstatus", { datasource });
  return (await response.json<{ uploads: UploadStatus[] }>()).uploads;
}

describe("a bulk upload", () => {
  it("takes effect page by page, removes nothing before its last page, and then is all that the datasource has", async () => {
    const datasource = await datasourceWith("old", "stays");
    expect(await upload(page(datasource, ["stays", "new-1"], FIRST))).toEqual({
      success: true,
      uploadId: "nightly",
      status: "receiving",
      documentsReceived: 2,
      documentsStored: 2,
      documentsRemoved: 0,
    });
    expect(await visible(datasource)).toEqual(["new-1", "old", "stays"]);
    expect(await upload(page(datasource, ["new-2"]))).toMatchObject({ status: "receiving", documentsReceived: 3 });
    expect(await visible(datasource)).toEqual(["new-1", "new-2", "old", "stays"]);
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

  it("replaces texts and permissions, and keeps the last of two documents with one id", async () => {
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

  it("doesn't index an unchanged document again", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a", "b", "c"], ONLY));
    for (const statement of [
      "CREATE TABLE touched (id)",
      "CREATE TRIGGER touch AFTER DELETE ON term_vectors BEGIN INSERT INTO touched VALUES (old.id); END",
    ]) {
      await rowsIn(instance, statement);
    }
    const documents = [of(datasource, "a"), of(datasource, "b", { title: "changed" }), of(datasource, "c")];
    await upload({ ...page(datasource, [], ONLY), documents });
    const touched = await rowsIn(instance, "SELECT d.external_id AS id FROM touched t JOIN documents d ON d.id = t.id");
    for (const statement of ["DROP TRIGGER touch", "DROP TABLE touched"]) await rowsIn(instance, statement);
    expect(touched).toEqual([{ id: "b" }]);
  });

  it("writes a page of large documents in steps, and removes them in steps that the alarm completes", async () => {
    const datasource = await datasourceWith();
    const large = (id: string) => of(datasource, id, { body: { textContent: `${id} `.padEnd(900_000, "x") } });
    const ids = Array.from({ length: 14 }, (_, at) => `large-${String(at).padStart(2, "0")}`);
    await upload({ ...page(datasource, [], FIRST), documents: ids.slice(0, 7).map(large) });
    await upload({ ...page(datasource, [], LAST), documents: ids.slice(7).map(large) });
    expect(await countOf(datasource)).toBe(14);
    const last = page(datasource, ["large-00", "small"], ONLY);
    // One request removes ten steps of a megabyte each.
    expect(await upload(last)).toMatchObject({ status: "removing", documentsReceived: 2, documentsRemoved: 10 });
    await runUpkeep(instance);
    expect(await visible(datasource)).toEqual(["large-00", "small"]);
    expect(await statuses(datasource)).toMatchObject([{ status: "done", received: 2, removed: 13 }]);
  });

  it("keeps the row of a document that it replaces, and therefore its custom metadata", async () => {
    const datasource = await datasourceWith("a", "gone");
    const metadata = await MetadataPipeline.of(instance);
    await metadata.describe("birds", [{ name: "kind", propertyType: "TEXT" }]);
    for (const id of ["a", "gone"]) await metadata.attach(`${datasource}:${id}`, "birds", { kind: "siskin" });
    await upload({ ...page(datasource, [], ONLY), documents: [of(datasource, "a", { title: "another" })] });
    expect(await visible("siskin")).toEqual(["a"]);
    expect(await rowsIn(instance, "SELECT * FROM document_metadata")).toHaveLength(1);
  });
});

describe("a single change during an upload", () => {
  it("outlasts the upload's pages: a deletion, narrower permissions, a newer text", async () => {
    const datasource = await datasourceWith("deleted", "narrowed", "newer", "later");
    await upload(page(datasource, ["early"], FIRST));
    await pipeline.post("/api/index/v1/deletedocument", { datasource, id: "deleted" });
    await pipeline.post("/api/index/v1/deletedocument", { datasource, id: "early" });
    await pipeline.post("/api/index/v1/updatepermissions", { datasource, id: "narrowed", permissions: {} });
    await pipeline.index(of(datasource, "newer", { title: `Pintail ${datasource}` }), of(datasource, "newcomer"));
    const changed = [
      of(datasource, "narrowed", { title: `Scaup ${datasource}` }),
      ...["deleted", "newer", "early"].map((id) => of(datasource, id)),
    ];
    await upload({ ...page(datasource, []), documents: changed });
    await upload({ ...page(datasource, [], LAST), documents: changed });
    expect(await visible(datasource)).toEqual(["newcomer", "newer"]);
    expect(await visible("pintail")).toEqual(["newer"]);
    await pipeline.post("/api/index/v1/updatepermissions", {
      datasource,
      id: "narrowed",
      permissions: { allowAnonymousAccess: true },
    });
    // Its text is from the upload all the same.
    expect(await visible("scaup")).toEqual(["narrowed"]);
    await runUpkeep(instance);
    expect(await rows("single_changes")).toEqual([]);
  });

  it("that deletes a document doesn't prevent it from coming back with the next upload or singly", async () => {
    const datasource = await datasourceWith("a", "b");
    await upload(page(datasource, [], FIRST));
    for (const id of ["a", "b"]) await pipeline.post("/api/index/v1/deletedocument", { datasource, id });
    await pipeline.index(of(datasource, "b"));
    await upload(page(datasource, ["a"], LAST));
    expect(await visible(datasource)).toEqual(["b"]);
    await upload(page(datasource, ["a"], ONLY));
    expect(await visible(datasource)).toEqual(["a"]);
  });

  it("outlasts a repetition of an earlier page whose response was lost", async () => {
    const datasource = await datasourceWith();
    const first = page(datasource, ["a", "b"], FIRST);
    await upload(first);
    await pipeline.post("/api/index/v1/deletedocument", { datasource, id: "a" });
    await upload(first);
    expect(await visible(datasource)).toEqual(["b"]);
    await upload(page(datasource, [], LAST));
    expect(await visible(datasource)).toEqual(["b"]);
  });
});

describe("pages of a bulk upload out of order", () => {
  it("are refused before a first page", async () => {
    const datasource = await datasourceWith("old");
    const [status, error, message] = await refusal(page(datasource, ["a"], LAST));
    expect([status, error]).toEqual([409, "conflict"]);
    expect(message).toContain("isFirstPage: true");
    expect(await visible(datasource)).toEqual(["old"]);
  });

  it("are refused as another first page, unless it says that the upload restarts", async () => {
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

  it("are refused if they belong to another upload", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    const [status, , message] = await refusal(page(datasource, ["b"], { uploadId: "tomorrow" }));
    expect(status).toBe(409);
    expect(message).toContain('"nightly"');
    await upload(page(datasource, ["c"], LAST));
    expect(await visible(datasource)).toEqual(["a", "c"]);
  });

  it("are refused after the last page", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    await upload(page(datasource, ["b"], LAST));
    expect((await refusal(page(datasource, ["c"], LAST))).slice(0, 2)).toEqual([409, "conflict"]);
    expect((await refusal(page(datasource, ["c"]))).slice(0, 2)).toEqual([409, "conflict"]);
    expect(await visible(datasource)).toEqual(["a", "b"]);
  });

  it("are refused as a repeated first page after other pages", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    await upload(page(datasource, ["b"]));
    expect((await refusal(page(datasource, ["a"], FIRST)))[0]).toBe(409);
  });

  it("may repeat any page after a lost response", async () => {
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

  it("may come at the same time in the middle", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["0"], FIRST));
    await Promise.all(["1", "2", "3", "4"].map((id) => upload(page(datasource, [id]))));
    expect(await upload(page(datasource, ["5"], LAST))).toMatchObject({ status: "done", documentsReceived: 6 });
    expect(await visible(datasource)).toEqual(["0", "1", "2", "3", "4", "5"]);
  });

  it("may bring the last page several times at once", async () => {
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
  ])("are refused with a wrong %s, and nothing of the page is stored", async (member, changes) => {
    const stored = () => Promise.all([rows("bulk_uploads"), rows("upload_pages"), rows("documents")]);
    const before = await stored();
    const datasource = await datasourceWith();
    const [status, error, message] = await refusal(page(datasource, ["a"], { ...FIRST, ...changes }));
    expect([status, error, message.split(" ")[0]]).toEqual([400, "bad_request", member]);
    expect(await stored()).toEqual(before);
  });

  it("are refused for a token that does not cover the datasource", async () => {
    const datasource = await datasourceWith();
    await upload(page(datasource, ["a"], FIRST));
    const stranger = await Pipeline.of(instance, "documents:elsewhere");
    const response = await stranger.post(BULK, page(datasource, ["b"]));
    expect([response.status, (await readRefusal(response)).error]).toEqual([401, "invalid_token"]);
  });
});

describe("a bulk upload that is interrupted", () => {
  /** Returns bindings whose calls to the documents fail after this many, as in a crash or a network failure. */
  function losing(calls: number): Bindings {
    let left = calls;
    const lost = async () => {
      throw new Error("Network connection lost.");
    };
    const getByName = (name: string) =>
      new Proxy(env.DOCUMENTS.getByName(name), {
        get: (object, call) => {
          left -= 1;
          return left < 0 ? lost : (object[call as keyof typeof object] as unknown);
        },
      });
    return { ...env, DOCUMENTS: { getByName } as unknown as DurableObjectNamespace };
  }

  function post(bindings: Bindings, body: object): Promise<Response> {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${pipeline.token}` };
    return send(BULK, { method: "POST", headers, body: JSON.stringify(body) }, bindings);
  }

  it("at any step of any page ends like an uninterrupted one when the page is repeated", async () => {
    for (let calls = 0; ; calls += 1) {
      const datasource = await datasourceWith("old", "both");
      // Four steps, the last of them not full.
      const ids = Array.from({ length: 70 }, (_, at) => `new-${at}`);
      const statusesSeen: number[] = [];
      let progress: Progress | undefined;
      for (const sent of [page(datasource, ids, FIRST), page(datasource, ["both"], LAST)]) {
        const { status } = await post(losing(calls), sent);
        statusesSeen.push(status);
        expect([200, 503]).toContain(status);
        progress = status === 200 ? undefined : await upload(sent);
      }
      await runUpkeep(instance);
      expect(await countOf(datasource)).toBe(71);
      expect(await visible(`"${datasource} old"`)).toEqual([]);
      if (progress) expect(progress.documentsReceived).toBe(71);
      if (statusesSeen.every((status) => status === 200)) break;
    }
  });

  it("by the end of its object, between pages, continues where it was", async () => {
    const datasource = await datasourceWith("old");
    await upload(page(datasource, ["a"], FIRST));
    await evictDocuments(instance);
    expect(await upload(page(datasource, ["a"], FIRST))).toMatchObject({ documentsReceived: 1 });
    expect(await upload(page(datasource, ["b"], LAST))).toMatchObject({ status: "done", documentsReceived: 2 });
    expect(await visible(datasource)).toEqual(["a", "b"]);
  });

  it("and not continued removes nothing, and is given up after days", async () => {
    const datasource = await datasourceWith("old");
    await upload(page(datasource, ["a"], FIRST));
    await runUpkeep(instance);
    expect(await statuses(datasource)).toMatchObject([{ status: "receiving", pages: 1 }]);
    travel(4 * 24 * 3600);
    await runUpkeep(instance);
    vi.useRealTimers();
    expect(await statuses(datasource)).toMatchObject([{ status: "given up" }]);
    expect(await visible(datasource)).toEqual(["a", "old"]);
    expect((await refusal(page(datasource, ["b"], LAST)))[0]).toBe(409);
    await upload(page(datasource, ["b"], ONLY));
    expect(await visible(datasource)).toEqual(["b"]);
  });
});

describe("uploadstatus", () => {
  it("shows the progress of each upload of a datasource, and what was wrong with its pages", async () => {
    const datasource = await datasourceWith("old");
    expect(await statuses(datasource)).toEqual([]);
    await upload(page(datasource, ["a", "b"], FIRST));
    await refusal({ ...page(datasource, []), documents: [of(datasource, "c", { viewURL: "nowhere" })] });
    await refusal(page(datasource, ["a"], { ...FIRST, uploadId: "nightly" }));
    const [status] = await statuses(datasource);
    expect(status).toMatchObject({
      kind: "documents",
      groupName: "",
      uploadId: "nightly",
      status: "receiving",
      received: 2,
      removed: 0,
      pages: 1,
      completedAt: null,
      errors: [
        { message: expect.stringContaining("is under way, with 1 pages so far") },
        { message: expect.stringContaining("documents[0].viewURL") },
      ],
    });
    await upload(page(datasource, [], LAST));
    expect(await statuses(datasource)).toMatchObject([{ status: "done", removed: 1, pages: 2 }]);
    const response = await pipeline.post("/api/index/v1/uploadstatus", { datasource, uploadId: "another" });
    expect(await response.json()).toEqual({ uploads: [] });
  });

  it("is refused for a token that does not cover the datasource", async () => {
    const stranger = await Pipeline.of(instance, "documents:elsewhere");
    const response = await stranger.post("/api/index/v1/uploadstatus", { datasource: "source1" });
    expect([response.status, (await readRefusal(response)).error]).toEqual([401, "invalid_token"]);
  });
});
