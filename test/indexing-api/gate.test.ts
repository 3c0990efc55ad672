import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { rowsIn } from "../support/documents.ts";
import { putTogether, takeApart } from "../support/forged-tokens.ts";
import { env } from "../support/isolate.ts";
import { draft, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, issueIndexingToken, makeInstance, send, travel } from "../support/world.ts";

const ANNOUNCED = { "X-Gatehouse-Auth-Type": "OAUTH" };
const DOCUMENT = "/api/index/v1/indexdocument";

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

afterEach(() => vi.useRealTimers());

/** Pushes one document, and returns the status and error. */
async function push(token: string, datasource = "wiki", headers: Record<string, string> = {}) {
  const response = await new Pipeline(token).post(DOCUMENT, { document: draft("a", { datasource }) }, headers);
  return response.status === 200 ? [200] : [response.status, (await readRefusal(response)).error];
}

async function storedDocuments(): Promise<number> {
  const [row] = await rowsIn<{ n: number }>(instance, "SELECT count(*) AS n FROM documents");
  return row?.n ?? -1;
}

describe("the credentials that the Indexing API's gate accepts", () => {
  it("include no OAuth token, announced or not, and the refusal says which tokens are accepted", async () => {
    const { access_token: own } = await (await AppClient.registered()).tokens();
    const { header, claims, signature } = takeApart(own);
    const external = putTogether(header, { ...claims, iss: "https://login.elsewhere.example" }, signature);
    const garbled = `${own.slice(0, -4)}AAAA`;
    for (const token of [own, external, garbled]) {
      expect(await push(token)).toEqual([401, "invalid_token"]);
      expect(await push(token, "wiki", ANNOUNCED)).toEqual([401, "invalid_token"]);
    }
    const response = await new Pipeline(own).post(DOCUMENT, {});
    expect((await readRefusal(response)).message).toMatch(/only service-issued tokens/);
  });

  it("include no Client API token, whatever its scopes", async () => {
    const token = await issueClientApiToken(instance, "ada@acme.example", "SEARCH", "CHAT", "DOCUMENTS");
    expect(await push(token)).toEqual([401, "invalid_secret"]);
    expect(await push(token, "wiki", ANNOUNCED)).toEqual([401, "invalid_secret"]);
  });

  it("include nothing that is not a token of the service, and a request needs one", async () => {
    for (const token of ["nonsense", "ghi_", `ghi_${"A".repeat(49)}`]) {
      expect(await push(token)).toEqual([401, "invalid_secret"]);
    }
    expect(await push("", "wiki", { Authorization: "" })).toEqual([401, "unauthorized"]);
    expect(await push("", "wiki", { Authorization: `Basic ${btoa("a:b")}` })).toEqual([401, "invalid_token"]);
  });

  it("include no other instance's token", async () => {
    const elsewhere = await issueIndexingToken(await makeInstance("other"), "documents:global_scope");
    expect(await push(elsewhere)).toEqual([401, "invalid_secret"]);
    expect(await storedDocuments()).toBe(0);
  });

  it("include no expired or revoked token", async () => {
    const { administrationOf } = servicesOf(env);
    const scopes = ["documents:global_scope"];
    const order = { kind: "indexing" as const, name: "test", scopes, person: null, lifetimeSeconds: 60 };
    const revoked = await administrationOf(instance, "test").serviceTokens.issue(order);
    const expiring = await administrationOf(instance, "test").serviceTokens.issue(order);
    await administrationOf(instance, "test").serviceTokens.revoke(revoked.token.id);
    expect(await push(revoked.secret)).toEqual([401, "invalid_secret"]);
    travel(60);
    expect(await push(expiring.secret)).toEqual([401, "invalid_secret"]);
    expect(await storedDocuments()).toBe(0);
  });

  it("are the same whether or not the authorization server is on", async () => {
    await makeInstance("localhost-only", { oauthEnabled: false });
    const { instances } = servicesOf(env);
    const off = await instances.require("localhost-only");
    const origin = "http://localhost-only.localhost";
    const pipeline = new Pipeline(await issueIndexingToken(off, "documents:wiki"), origin);
    expect((await pipeline.post(DOCUMENT, { document: draft("a") })).status).toBe(200);
  });

  it("are checked before every path of the API, so that nobody can explore it", async () => {
    for (const path of ["/api/index/v1/nothing", "/rest/api/index/nothing", "/rest/api/index/indexdocuments"]) {
      expect([path, (await send(path, { method: "POST" })).status]).toEqual([path, 401]);
      expect([path, (await send(path)).status]).toEqual([path, 401]);
    }
    const pipeline = await Pipeline.of(instance);
    expect((await pipeline.post("/api/index/v1/nothing", {})).status).toBe(404);
    const get = await send(DOCUMENT, { headers: { Authorization: `Bearer ${pipeline.token}` } });
    expect([get.status, get.headers.get("Allow")]).toEqual([405, "POST"]);
  });
});

describe("the datasources that a token covers", () => {
  it.each([
    ["documents:global_scope", "wiki", true],
    ["documents:wiki", "wiki", true],
    ["documents:Wiki", "wIKI", true],
    ["documents:wiki", "finance", false],
    ["documents:wiki", "wiki2", false],
    ["documents:wiki", "wik", false],
    ["documents:wiki", "global_scope", false],
    ["custommetadata:global_scope", "wiki", false],
    ["custommetadata:wiki", "wiki", false],
  ])("for %s and a document of %s, coverage is %s", async (scope, datasource, covered) => {
    const before = await storedDocuments();
    const answer = await push(await issueIndexingToken(instance, scope), datasource);
    expect(answer).toEqual(covered ? [200] : [401, "invalid_token"]);
    if (!covered) expect(await storedDocuments()).toBe(before);
  });

  it("may be several in one token", async () => {
    const token = await issueIndexingToken(instance, "documents:wiki", "documents:tickets");
    expect(await push(token, "tickets")).toEqual([200]);
    expect(await push(token, "finance")).toEqual([401, "invalid_token"]);
  });

  it("have to include all documents of a request, or nothing of it is stored", async () => {
    const pipeline = await Pipeline.of(instance, "documents:mixed");
    const documents = [draft("a", { datasource: "mixed" }), draft("b", { datasource: "finance" })];
    for (const list of [documents, documents.toReversed()]) {
      const before = await storedDocuments();
      expect((await pipeline.post("/api/index/v1/indexdocuments", { documents: list })).status).toBe(401);
      expect(await storedDocuments()).toBe(before);
    }
  });

  it("are not extended by the datasource that the request names besides its documents", async () => {
    const pipeline = await Pipeline.of(instance, "documents:mixed");
    const documents = [draft("a", { datasource: "finance" })];
    const before = await storedDocuments();
    const answer = await pipeline.post("/api/index/v1/indexdocuments", { datasource: "mixed", documents });
    expect(answer.status).toBe(400);
    expect(await storedDocuments()).toBe(before);
  });
});
