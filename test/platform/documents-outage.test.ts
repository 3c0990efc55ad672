import type { InstanceRecord } from "#instance/instances.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { evictDocuments, rowsIn } from "../support/documents.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueIndexingToken, makeInstance } from "../support/world.ts";

let instance: InstanceRecord;
let app: AppClient;
let token: string;
let indexing: string;
let describing: string;
let isolate: ObservedIsolate;

beforeAll(async () => {
  instance = await makeInstance();
  app = await AppClient.registered();
  token = (await app.tokens()).access_token;
  indexing = await issueIndexingToken(instance, "documents:global_scope");
  describing = await issueIndexingToken(instance, "custommetadata:global_scope");
  await (await Pipeline.of(instance)).index(draft("kept", { title: "Heron" }));
});

beforeEach(() => {
  isolate = new ObservedIsolate();
  isolate.documentsFailing = true;
});

function ask(path: string, secret: string, body: unknown, method = "POST"): Promise<Response> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${secret}` };
  return isolate.send(path, { method, headers, body: JSON.stringify(body) });
}

async function expectUnavailable(response: Response, code: string): Promise<void> {
  expect(response.status).toBe(503);
  expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
  const { error, requestId } = await readRefusal(response);
  expect([error, requestId]).toEqual([code, response.headers.get("X-Request-Id")]);
}

describe("while an instance's documents fail", () => {
  it.each([
    ["/rest/api/v1/search", { query: "heron" }],
    ["/rest/api/v1/getdocuments", { documentSpecs: [{ id: "wiki:kept" }] }],
    ["/rest/api/v1/chat", { messages: [{ author: "USER", fragments: [{ text: "Which herons?" }] }] }],
  ])("%s responds 503 with Retry-After", async (path, body) => {
    await expectUnavailable(await ask(path, token, body), "search_unavailable");
  });

  it("searches that need no documents still get their response: one without words, or a bad request", async () => {
    expect((await isolate.search(token)).status).toBe(200);
    expect((await isolate.search(token, {})).status).toBe(400);
  });

  it.each([
    ["POST", "indexdocument", { document: draft("new") }],
    ["POST", "deletedocument", { datasource: "wiki", id: "kept" }],
    ["POST", "updatepermissions", { datasource: "wiki", id: "kept", permissions: {} }],
    ["POST", "getdocumentcount", { datasource: "wiki" }],
    ["POST", "indexuser", { datasource: "wiki", user: { email: "ben@acme.example" } }],
    ["POST", "uploadstatus", { datasource: "wiki" }],
    [
      "POST",
      "bulkindexdocuments",
      { uploadId: "u", datasource: "wiki", isFirstPage: true, isLastPage: true, documents: [] },
    ],
    ["PUT", "custom-metadata/schema/hr", { metadataKeys: [{ name: "status", propertyType: "TEXT" }] }],
  ])("%s %s responds 503, and changes no documents, uploads or users", async (method, call, body) => {
    const stored = () => Promise.all(["documents", "bulk_uploads", "datasource_users"].map(rowsOf));
    const before = await stored();
    const secret = method === "PUT" ? describing : indexing;
    await expectUnavailable(await ask(`/rest/api/index/${call}`, secret, body, method), "temporarily_unavailable");
    expect(await stored()).toEqual(before);
  });

  it("a metadata schema is not stored in D1 either, until it is sent again when they work", async () => {
    const put = () =>
      ask(
        "/rest/api/index/custom-metadata/schema/late",
        describing,
        { metadataKeys: [{ name: "k", propertyType: "TEXT" }] },
        "PUT",
      );
    await expectUnavailable(await put(), "temporarily_unavailable");
    expect(await rowsIn(instance, "SELECT 1 FROM metadata_groups WHERE name = 'late'")).toEqual([]);
    isolate.documentsFailing = false;
    expect((await put()).status).toBe(200);
    expect(await rowsIn(instance, "SELECT 1 FROM metadata_groups WHERE name = 'late'")).toHaveLength(1);
  });

  it("metadata, tokens and the gate still work", async () => {
    expect((await ask("/rest/api/v1/search", "nonsense", { query: "heron" })).status).toBe(401);
    expect((await isolate.send("/.well-known/oauth-authorization-server")).status).toBe(200);
    const { access_token } = await app.tokens();
    expect((await isolate.search(access_token)).status).toBe(200);
  });

  it("a search fails, and works again as soon as they do", async () => {
    await expectUnavailable(await isolate.search(token, { query: "heron" }), "search_unavailable");
    isolate.documentsFailing = false;
    expect((await isolate.search(token, { query: "heron" })).status).toBe(200);
  });
});

describe("while calls of an instance's documents are lost", () => {
  const lose = (failure: object) => {
    let calls = 0;
    isolate.documentsAnswer = () => {
      calls += 1;
      if (calls === 2) isolate.documentsAnswer = undefined;
      return Promise.reject(Object.assign(new Error("Network connection lost."), failure));
    };
    isolate.documentsFailing = false;
    return () => calls;
  };

  it("reads are repeated", async () => {
    const calls = lose({ retryable: true });
    expect((await isolate.search(token, { query: "heron" })).status).toBe(200);
    expect(calls()).toBe(2);
  });

  it("changes are not, because one may have been made", async () => {
    const calls = lose({ retryable: true });
    await expectUnavailable(await isolate.index(indexing, draft("lost")), "temporarily_unavailable");
    expect(calls()).toBe(1);
  });

  it("nothing is repeated for an overloaded object", async () => {
    const calls = lose({ retryable: true, overloaded: true });
    await expectUnavailable(await isolate.search(token, { query: "heron" }), "search_unavailable");
    expect(calls()).toBe(1);
  });
});

describe("while an instance's documents hang", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Sends a request, waits until it asks for the documents, and lets the twelve seconds pass that it may wait for them. */
  async function askHanging(path: string, secret: string, body: unknown): Promise<Response> {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const asked = Promise.withResolvers<void>();
    isolate.documentsAnswer = () => {
      asked.resolve();
      return new Promise<never>(() => undefined);
    };
    let isAnswered = false;
    const answer = ask(path, secret, body).finally(() => (isAnswered = true));
    await asked.promise;
    await vi.advanceTimersByTimeAsync(11_999);
    expect(isAnswered).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    return answer;
  }

  it("a search responds 503 with Retry-After after twelve seconds", async () => {
    await expectUnavailable(await askHanging("/rest/api/v1/search", token, { query: "heron" }), "search_unavailable");
  });

  it("a pipeline's call responds 503 with Retry-After after twelve seconds", async () => {
    const body = { document: draft("hanging") };
    await expectUnavailable(
      await askHanging("/rest/api/index/indexdocument", indexing, body),
      "temporarily_unavailable",
    );
  });

  it("metadata, tokens and the gate don't wait for them", async () => {
    isolate.documentsAnswer = () => new Promise<never>(() => undefined);
    expect((await ask("/rest/api/v1/search", "nonsense", { query: "heron" })).status).toBe(401);
    expect((await isolate.send("/.well-known/oauth-authorization-server")).status).toBe(200);
    expect((await isolate.search(token)).status).toBe(200);
    expect((await app.tokens()).access_token).not.toBe("");
  });
});

describe("writes when an instance's documents are full", () => {
  it.each([
    ["indexdocument", { document: draft("more") }],
    [
      "bulkindexdocuments",
      { uploadId: "u", datasource: "wiki", isFirstPage: true, isLastPage: true, documents: [draft("more")] },
    ],
  ])("are refused with 409 and the limit, not as an outage: %s", async (call, body) => {
    isolate.documentsAnswer = () => Promise.reject(new Error("database or disk is full: SQLITE_FULL"));
    const response = await ask(`/rest/api/index/${call}`, indexing, body);
    expect(response.status).toBe(409);
    expect(response.headers.get("Retry-After")).toBeNull();
    expect(await readRefusal(response)).toMatchObject({ error: "conflict", message: expect.stringContaining("10 GB") });
  });
});

it("a document whose words are much longer in the index than in its text is stored, and found by those that come first", async () => {
  // The index expands this one character to eighteen.
  const textContent = `ibis ${"\ufdfa".repeat(500_000)}`;
  isolate.documentsFailing = false;
  const document = draft("expanding", { body: { mimeType: "text/plain", textContent } });
  expect((await ask("/rest/api/index/indexdocument", indexing, { document })).status).toBe(200);
  expect(await found(token, "ibis")).toEqual(["expanding"]);
});

describe("an instance's documents after their Durable Object was evicted", () => {
  it("are found as before, and can be written", async () => {
    await evictDocuments(instance);
    expect(await found(token, "heron")).toEqual(["kept"]);
    await evictDocuments(instance);
    await (await Pipeline.of(instance)).index(draft("later", { title: "Heron" }));
    expect(await found(token, "heron")).toEqual(["kept", "later"]);
  });
});

function rowsOf(table: string): Promise<object[]> {
  return rowsIn(instance, `SELECT * FROM ${table}`);
}
