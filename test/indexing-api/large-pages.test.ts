import type { ObjectCalls } from "#documents/documents.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import { issueClientApiToken, makeInstance } from "../support/world.ts";

/** So many that a page takes a dozen steps. */
const DOCUMENTS = 200;
const NAMES = 2500;

const BULK = "/rest/api/index/bulkindexdocuments";
const WORDS = "harbour tide almanac of the northern coast with its pilots and lights".split(" ");

let instances = 0;
let instance: InstanceRecord;
let pipeline: Pipeline;

beforeEach(async () => {
  instances += 1;
  instance = await makeInstance(`large${instances}`);
  pipeline = await Pipeline.of(instance, undefined, originOf(instance));
});

function originOf({ name }: InstanceRecord): string {
  return `https://${name}-be.example.com`;
}

const objectOf = () => env.DOCUMENTS.getByName(String(instance.id)) as DurableObjectStub & ObjectCalls;

function document(at: number) {
  const body = Array.from({ length: 70 }, (_, nth) => `${WORDS[(at * 7 + nth * nth) % WORDS.length]}${at % 60}`);
  return draft(String(at), { title: "Pilot book", body: { mimeType: "text/plain", textContent: body.join(" ") } });
}

function page(changes: Record<string, unknown> = {}) {
  const documents = Array.from({ length: DOCUMENTS }, (_, at) => document(at));
  return { uploadId: "nightly", datasource: "wiki", isFirstPage: true, isLastPage: true, documents, ...changes };
}

/** Waits until an act is true. Others are served in between. */
async function until(act: () => Promise<boolean>): Promise<void> {
  while (!(await act()));
}

const count = () => objectOf().count("wiki");
const someAreStored = () => until(async () => (await count()) > 0);

describe("a page of several steps", () => {
  it("lets searches of others be answered before it ends", async () => {
    const reader = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
    const order: string[] = [];
    const upload = pipeline.post(BULK, page()).then((response) => {
      order.push("page");
      return response;
    });
    await someAreStored();
    order.push(`some of them are stored: ${(await count()) < DOCUMENTS}`);
    expect(await found(reader, "pilot", originOf(instance))).not.toEqual([]);
    order.push("search");
    expect((await upload).status).toBe(200);
    expect(order).toEqual(["some of them are stored: true", "search", "page"]);
  });

  it.each(["users", "groups", "memberships"] as const)("lets others be served while it brings %s", async (kind) => {
    const groups = Array.from({ length: NAMES }, (_, at) => ({ name: `group${at}` }));
    const items = {
      users: groups.map(({ name }) => ({ userId: name, email: `${name}@acme.example`, name })),
      groups,
      memberships: groups.map(({ name }) => ({ memberUserId: `${name}@acme.example` })),
    };
    await pipeline.post("/rest/api/index/indexgroup", { datasource: "wiki", group: { name: "group0" } });
    const head = { uploadId: "nightly", datasource: "wiki", isFirstPage: true, isLastPage: true };
    const group = kind === "memberships" ? { group: "group0" } : {};
    const upload = pipeline.post(`/rest/api/index/bulkindex${kind}`, { ...head, ...group, [kind]: items[kind] });
    let stored = 0;
    await until(async () => {
      stored = (await objectOf().stats()).datasources[0]?.[kind] ?? 0;
      return stored > 1;
    });
    expect(stored).toBeLessThan(NAMES);
    expect(await (await upload).json()).toMatchObject({ success: true, status: "done" });
  });

  it("can be sent again if the response to the last of several was lost", async () => {
    await pipeline.post(BULK, page({ isLastPage: false, documents: [draft("first")] }));
    const last = page({ isFirstPage: false });
    const answer = await (await pipeline.post(BULK, last)).json<object>();
    const again = await pipeline.post(BULK, last);
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(answer);
    expect(answer).toMatchObject({ status: "done", documentsReceived: DOCUMENTS + 1, documentsRemoved: 0 });
  });

  it("is stored once if it is sent again while a call that nobody waits for still brings it", async () => {
    await pipeline.post(BULK, page({ isLastPage: false, documents: [draft("first")] }));
    const last = page({ isFirstPage: false });
    const abandoned = pipeline.post(BULK, last);
    await until(async () => (await count()) > 1);
    const both = [await pipeline.post(BULK, last), await abandoned];
    for (const one of both) {
      expect(await one.json()).toMatchObject({ status: "done", documentsReceived: DOCUMENTS + 1, documentsRemoved: 0 });
    }
    expect(await count()).toBe(DOCUMENTS + 1);
  });
});
