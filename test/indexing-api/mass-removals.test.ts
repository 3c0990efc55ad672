import type { InstanceRecord } from "#instance/instances.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { callAdmin, commandToken } from "../support/admin-calls.ts";
import { auditEntries } from "../support/audit-entries.ts";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { runUpkeep } from "../support/documents.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance, travel } from "../support/world.ts";

const BASE = "/rest/api/index";

let instance: InstanceRecord;
let pipeline: Pipeline;
let ada: ConsoleBrowser;
let reader: string;
let uploads = 0;

beforeAll(async () => {
  instance = await makeInstance();
  pipeline = await Pipeline.of(instance);
  ada = await openConsole(instance);
  reader = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

async function upload(datasource: string, count: number, more: object = {}) {
  uploads += 1;
  const documents = Array.from({ length: count }, (_, id) => draft(`d${id}`, { datasource, title: datasource }));
  const page = { uploadId: `upload ${uploads}`, datasource, documents, isFirstPage: true, isLastPage: true };
  const response = await pipeline.post(`${BASE}/bulkindexdocuments`, { ...page, ...more });
  return response.json<Record<string, unknown>>();
}

async function called(method: string, path: string, body?: object) {
  const response = await callAdmin(await commandToken(path), method, path, body);
  return response.json<{ items: Record<string, unknown>[]; changed?: boolean }>();
}

async function said(path: string): Promise<string> {
  const [main = ""] = /<main.*<\/main>/s.exec(await ada.read(path)) ?? [];
  return main.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

describe("an upload that would remove much", () => {
  it("tells its pipeline, the audit and administrators that it is held, and removes on their decision", async () => {
    await upload("wiki", 40);
    const answer = await upload("wiki", 10);
    expect(answer).toMatchObject({ status: "held", documentsRemoved: 0, stale: 30, total: 40 });
    const status = await pipeline.post(`${BASE}/uploadstatus`, { datasource: "wiki" });
    expect(await status.json()).toMatchObject({
      uploads: [{ status: "held", stale: 30, total: 40, heldUntil: answer["heldUntil"], completedAt: null }],
    });
    const [entry] = await auditEntries(instance, "removal_held");
    expect(entry).toMatchObject({ detail: { datasource: "wiki", kind: "documents", stale: 30, total: 40 } });

    expect(await said("/admin")).toContain("An upload to wiki would remove 30 of 40 documents");
    const page = await said("/admin/content/wiki");
    expect(page).toContain("An upload would remove 30 of 40 documents");
    expect(page).toMatch(/Left out, among others: d\d+, d\d+, d\d+, d\d+, d\d+/);
    expect(await said("/admin/content/wiki/held/remove?kind=documents&group=")).toContain("30 of 40 documents");
    expect(await found(reader, "wiki")).toHaveLength(40);
    const removed = await ada.post("/admin/content/wiki/held/remove", { kind: "documents", group: "" });
    expect(removed.headers.get("Location")).toBe("/admin/content/wiki?done=removed");
    expect(await found(reader, "wiki")).toHaveLength(10);
    expect(await said("/admin")).not.toContain("would remove");

    const after = await ada.read("/admin/content/wiki");
    expect(after).toContain("Uploads removed 30 documents that can be brought back");
    expect(after).toContain('href="/admin/content/wiki/bring-back"');
    expect(await said("/admin/content/wiki/bring-back")).toContain("30 documents of wiki get their permissions");
    const back = await ada.post("/admin/content/wiki/bring-back", {});
    expect(back.headers.get("Location")).toBe("/admin/content/wiki?done=broughtBack");
    await runUpkeep(instance);
    expect(await found(reader, "wiki")).toHaveLength(40);
    expect(await said("/admin/content/wiki")).not.toContain("brought back");
    const late = await ada.post("/admin/content/wiki/bring-back", {});
    expect(late.headers.get("Location")).toBe("/admin/content/wiki?done=late");
    const again = await ada.post("/admin/content/wiki/held/discard", { kind: "documents", group: "" });
    expect(again.headers.get("Location")).toBe("/admin/content/wiki?done=late");
    expect(await auditEntries(instance, "removal_decided")).toHaveLength(1);
  });

  it("removes at once and is audited if its last page asks for no check; an upload that removes little is not", async () => {
    await upload("forced", 40, { disableStaleDocumentDeletionCheck: true });
    expect(await auditEntries(instance, "removal_unchecked")).toHaveLength(0);
    const answer = await upload("forced", 0, { disableStaleDocumentDeletionCheck: true });
    expect(answer).toMatchObject({ status: "done", documentsRemoved: 40 });
    expect(answer).not.toHaveProperty("warnings");
    expect(await auditEntries(instance, "removal_unchecked")).toMatchObject([
      { detail: { datasource: "forced", stale: 40, total: 40 } },
    ]);
  });

  it("is in the audit once, however often its last page is sent, and again when its id is used again", async () => {
    await upload("looping", 40);
    const held = await upload("looping", 10, { uploadId: "nightly" });
    expect(held).toMatchObject({ status: "held" });
    expect(await upload("looping", 10, { uploadId: "nightly" })).toEqual(held);
    const last = { uploadId: "nightly", isFirstPage: false, disableStaleDocumentDeletionCheck: true };
    const forced = async () => {
      await upload("looping", 40, { uploadId: "whole" });
      await upload("looping", 10, { uploadId: "nightly", isLastPage: false });
      expect(await upload("looping", 0, last)).toMatchObject({ documentsRemoved: 30 });
      expect(await upload("looping", 0, last)).toMatchObject({ documentsRemoved: 30 });
    };
    const notes = async (event: "removal_held" | "removal_unchecked") =>
      (await auditEntries(instance, event)).filter(({ detail }) => detail["datasource"] === "looping");
    await forced();
    expect(await notes("removal_held")).toHaveLength(1);
    expect(await notes("removal_unchecked")).toHaveLength(1);
    travel(60);
    await forced();
    expect(await notes("removal_unchecked")).toHaveLength(2);
  });

  it("is listed and decided in the Admin API, which also brings documents back", async () => {
    await upload("api", 30);
    await upload("api", 0);
    expect((await called("GET", "/held-removals")).items).toMatchObject([{ datasource: "api", stale: 30, total: 30 }]);
    expect(await called("POST", "/held-removals/discard", { datasource: "api" })).toEqual({ changed: true });
    expect(await called("POST", "/held-removals/discard", { datasource: "api" })).toEqual({ changed: false });
    await upload("api", 0);
    expect(await called("POST", "/held-removals/remove", { datasource: "api" })).toEqual({ changed: true });
    expect(await found(reader, "api")).toEqual([]);
    expect((await called("GET", "/removed-documents")).items).toContainEqual(
      expect.objectContaining({ datasource: "api", documents: 30, fate: null }),
    );
    expect(await called("POST", "/removed-documents/bring-back", { datasource: "api" })).toEqual({ changed: true });
    await runUpkeep(instance);
    expect(await found(reader, "api")).toHaveLength(30);
    expect(await called("POST", "/removed-documents/bring-back", { datasource: "api" })).toEqual({ changed: false });
    expect(await auditEntries(instance, "removal_undone")).toContainEqual(
      expect.objectContaining({ detail: { datasource: "api", documents: 30 } }),
    );
  });

  it.each([
    ["users", { users: Array.from({ length: 30 }, (_, at) => ({ email: `u${at}@acme.example` })) }],
    ["groups", { groups: Array.from({ length: 30 }, (_, at) => ({ name: `g${at}` })) }],
    ["memberships", { memberships: Array.from({ length: 30 }, (_, at) => ({ memberUserId: `u${at}` })), group: "g0" }],
  ])("may be one of %s, which are removed at once if the last page asks for no check", async (kind, items) => {
    const datasource = `of-${kind}`;
    await pipeline.post(`${BASE}/indexgroup`, { datasource, group: { name: "g0" } });
    const send = async (more: object) => {
      const page = { uploadId: "one", datasource, isFirstPage: true, isLastPage: true, ...items, ...more };
      return (await pipeline.post(`${BASE}/bulkindex${kind}`, page)).json();
    };
    await send({});
    expect(await send({ uploadId: "two", [kind]: [] })).toMatchObject({ status: "held", stale: 30, total: 30 });
    expect(await send({ uploadId: "three", [kind]: [], disableStaleDataDeletionCheck: true })).toMatchObject({
      status: "done",
      removed: 30,
    });
  });
});
