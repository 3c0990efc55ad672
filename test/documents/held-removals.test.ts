import { OPERATOR } from "#administration/authority.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ContentActs } from "#administration/content-acts.ts";
import type { Seer } from "#documents/engine.ts";
import { DocumentMoves } from "#documents/moving/move.ts";
import { type EngineName, shardsOf } from "#documents/moving/engines.ts";
import { applyChanges } from "#documents/apply.ts";
import type { Refused } from "#documents/refused.ts";
import type { UploadItem, UploadPage, UploadProgress, UploadTarget } from "#documents/uploads/uploads.ts";
import { timeIs } from "../support/time.ts";
import { Ledger } from "./moving-world.ts";
import { INSTANCE, LocalShards } from "./sharding/objects.ts";
import { uploadPage } from "./upload-page.ts";
import { aDocument, DATASOURCE, searchOf } from "./world.ts";

const DAY = 86_400;
const READER: Seer = { email: "ada@acme.example", directoryGroups: ["board"] };

let open: LocalShards[] = [];
afterEach(() => {
  for (const one of open) expectCounted(one);
  for (const one of open) one.close();
  open = [];
});

/** Checks that datasources have as many removed documents as was counted. */
function expectCounted(shards: LocalShards): void {
  for (const { store } of shards.objects) {
    const kept = "SELECT count(*) FROM removed_documents r WHERE r.datasource = d.name";
    expect(store.exec(`SELECT removed, (${kept}) AS kept FROM datasources d WHERE removed <> (${kept})`)).toEqual([]);
  }
}

/** An instance whose clock stands still. */
class Instance {
  now = 1_800_000_000;
  readonly shards: LocalShards;
  uploads = 0;

  constructor(shards: number) {
    this.shards = new LocalShards(shards, { clock: () => this.now });
    open.push(this.shards);
  }

  get documents() {
    return this.shards.documents;
  }

  /** Uploads everything in one page. */
  async upload(items: readonly UploadItem[], more: Partial<UploadPage> = {}): Promise<UploadProgress> {
    this.uploads += 1;
    const { isFirstPart: _first, isLastPart: _last, ...page } = uploadPage({ isFirst: true, isLast: true, items });
    const named = { ...page, uploadId: `upload ${this.uploads}`, hash: `page ${this.uploads}`, ...more };
    return accepted(await this.documents.takePage(INSTANCE, named));
  }

  async found(): Promise<string[]> {
    const search = { ...searchOf({ query: "tide", pageSize: 100 }) };
    const { documents } = await this.documents.find(INSTANCE, search, READER);
    return documents.map(({ externalId }) => externalId).sort();
  }

  decide(removes: boolean, target: Partial<UploadTarget> = {}) {
    const { kind, datasource, groupName } = uploadPage();
    const held = { kind, datasource, groupName, uploadId: `upload ${this.uploads}`, ...target };
    return this.documents.decideRemoval(INSTANCE, { target: held, removes });
  }

  async travel(seconds: number): Promise<void> {
    this.now += seconds;
    await this.shards.cleanUp();
  }

  async status() {
    const [latest] = await this.documents.uploads(INSTANCE, DATASOURCE);
    return latest;
  }
}

function accepted(answer: UploadProgress | Refused): UploadProgress {
  if ("refused" in answer) throw new Error(answer.description);
  return answer;
}

/** Returns documents with these numbers, from the first to before the last. */
function pages(from: number, until: number): UploadItem[] {
  return numbers(from, until).map((at) => ({
    kind: "documents",
    document: aDocument(`d${at}`, {
      title: `tide ${at}`,
      body: `body ${at}`,
      tags: ["coast"],
      contentHash: `hash ${at}`,
      principals: [{ kind: "group", datasource: DATASOURCE, name: "board" }],
    }),
  }));
}

function numbers(from: number, until: number): number[] {
  return Array.from({ length: until - from }, (_, at) => from + at);
}

describe.each([1, 2, 4])("a complete upload in %i shards", (shards) => {
  it("removes up to a fifth, or up to twenty, of what a datasource has, at once", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 100));
    expect(await instance.upload(pages(20, 100))).toMatchObject({ status: "done", removed: 20 });
    // More than a fifth, but not more than twenty.
    await instance.upload(pages(0, 25), { isUnchecked: true });
    expect(await instance.upload(pages(20, 25))).toMatchObject({ status: "done", removed: 20 });
    expect(await instance.found()).toHaveLength(5);
  });

  it("is held if it would remove more, judged over all shards together", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 100));
    const held = { status: "held", removed: 0, stale: 21, total: 100, heldUntil: instance.now + 7 * DAY };
    expect(await instance.upload(pages(21, 100))).toMatchObject(held);
    await instance.travel(DAY);
    expect(await instance.found()).toHaveLength(100);
    const status = await instance.status();
    expect(status).toMatchObject({ ...held, completedAt: null });
    expect(status?.examples).toHaveLength(5);
    for (const id of status?.examples ?? []) expect(numbers(0, 21).map((at) => `d${at}`)).toContain(id);
    const { held: waiting } = await instance.documents.stats(INSTANCE);
    expect(waiting).toMatchObject([{ datasource: DATASOURCE, kind: "documents", stale: 21, total: 100 }]);
  });

  it("removes much at once if its last page asks for that, also when that page is sent again", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 60));
    expect(await instance.upload([], { isUnchecked: true })).toMatchObject({ status: "done", removed: 60, stale: 60 });
    await instance.upload(pages(0, 60));
    expect(await instance.upload([], { hash: "only" })).toMatchObject({ status: "held", stale: 60 });
    const again = { uploadId: `upload ${instance.uploads}`, hash: "only", isUnchecked: true };
    expect(await instance.upload([], again)).toMatchObject({ status: "done", removed: 60 });
    expect(await instance.found()).toEqual([]);
  });

  it("removes what is held after seven days, or when somebody decides", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 50));
    await instance.upload(pages(40, 50));
    await instance.travel(7 * DAY - 1);
    expect(await instance.found()).toHaveLength(50);
    await instance.travel(1);
    expect(await instance.found()).toHaveLength(10);
    expect(await instance.status()).toMatchObject({ status: "done", removed: 40 });

    await instance.upload(pages(0, 50));
    await instance.upload(pages(40, 50));
    expect(await instance.decide(true)).toMatchObject({ status: "done", removed: 40 });
    expect(await instance.decide(true)).toBeNull();
    expect(await instance.found()).toHaveLength(10);
  });

  it("keeps what was held if that is discarded", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 50));
    await instance.upload([]);
    expect(await instance.decide(false, { uploadId: "another" })).toBeNull();
    expect(await instance.decide(false)).toMatchObject({ removed: 0 });
    await instance.travel(30 * DAY - 1);
    expect(await instance.found()).toHaveLength(50);
    expect(await instance.documents.stats(INSTANCE)).toMatchObject({ held: [] });
  });

  it("replaces an earlier one that is held, and holds no longer what that one held", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 60));
    const first = await instance.upload(pages(30, 60));
    await instance.travel(3 * DAY);
    // The same removal every night is done seven days after the first night.
    const second = await instance.upload(pages(30, 60), { forceRestart: true });
    expect(second).toMatchObject({ status: "held", stale: 30, heldUntil: first.heldUntil });
    // One that would remove more is another mistake, and has its own time.
    const third = await instance.upload([]);
    expect(third).toMatchObject({ status: "held", stale: 60, heldUntil: instance.now + 7 * DAY });
    // A whole one ends it.
    expect(await instance.upload(pages(0, 60))).toMatchObject({ status: "done", removed: 0, heldUntil: null });
    await instance.travel(30 * DAY);
    expect(await instance.found()).toHaveLength(60);
  });

  it("has its own time after an upload that was given up, whatever was held before", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 60));
    await instance.upload([]);
    await instance.travel(6 * DAY);
    await instance.upload(pages(0, 1), { isLast: false });
    await instance.travel(4 * DAY);
    expect(await instance.status()).toMatchObject({ status: "given up" });
    expect(await instance.upload([])).toMatchObject({ status: "held", heldUntil: instance.now + 7 * DAY });
    await instance.travel(DAY);
    expect(await instance.found()).toHaveLength(60);
  });

  it("keeps what single changes index while it is held, and loses what they delete", async () => {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 50));
    await instance.upload([]);
    const [again] = pages(7, 8);
    if (again?.kind !== "documents") throw new Error("no document");
    await instance.documents.apply(INSTANCE, [
      { act: "put", document: again.document },
      { act: "remove", datasource: DATASOURCE, externalId: "d8" },
    ]);
    expect(await instance.decide(true)).toMatchObject({ removed: 48 });
    expect(await instance.found()).toEqual(["d7"]);
  });

  it("is one of very many of groups' members: those of documents are listed first, and any can be decided", async () => {
    const instance = new Instance(shards);
    await instance.upload(
      numbers(0, 25).map((at): UploadItem => ({ kind: "groups", name: `group ${at}` })),
      { kind: "groups" },
    );
    for (const at of numbers(0, 25)) {
      const groupName = `group ${at}`;
      const target = { kind: "memberships", groupName } as const;
      const members = numbers(0, 21).map(
        (one): UploadItem => ({
          kind: "memberships",
          membership: { groupName, memberKind: "user", member: `u${one}` },
        }),
      );
      await instance.upload(members, target);
      expect(await instance.upload([], target)).toMatchObject({ status: "held" });
    }
    instance.now += 1;
    await instance.upload(pages(0, 30));
    await instance.upload([]);
    const { held } = await instance.documents.stats(INSTANCE);
    expect(held).toHaveLength(20);
    expect(held[0]).toMatchObject({ kind: "documents", stale: 30 });
    const all = await instance.documents.uploads(INSTANCE, DATASOURCE);
    expect(all.filter(({ status }) => status === "held")).toHaveLength(26);
    expect(all.filter(({ examples }) => examples.length > 0)).toHaveLength(20);

    const listed = held.map(({ groupName }) => groupName);
    const groupName = numbers(0, 25)
      .map((at) => `group ${at}`)
      .find((name) => !listed.includes(name));
    timeIs(() => instance.now);
    const by = { instance: { id: INSTANCE, name: "world" }, actor: "ada", authority: OPERATOR };
    const acts = new ContentActs(
      { takeEffect: () => Promise.resolve(), by },
      { audit: { append: () => Promise.resolve() }, documents: instance.documents },
    );
    const target = { datasource: DATASOURCE, kind: "memberships", groupName: groupName ?? "" } as const;
    expect(await acts.removeHeld(target)).toBe(true);
    const [decided] = await instance.documents.uploads(INSTANCE, DATASOURCE, target);
    expect(decided).toMatchObject({ groupName, status: "done", removed: 21 });
  });

  it("also is held for users, groups and memberships", async () => {
    const instance = new Instance(shards);
    const users = numbers(0, 40).map((at): UploadItem => {
      const email = `u${at}@acme.example`;
      return { kind: "users", user: { userId: email, email, name: "", isActive: true } };
    });
    const groups = numbers(0, 40).map((at): UploadItem => ({ kind: "groups", name: `group ${at}` }));
    const members = numbers(0, 40).map(
      (at): UploadItem => ({
        kind: "memberships",
        membership: { groupName: "group 0", memberKind: "user", member: `u${at}` },
      }),
    );
    for (const [kind, items, groupName] of [
      ["users", users, ""],
      ["groups", groups, ""],
      ["memberships", members, "group 0"],
    ] as const) {
      const target = { kind, groupName };
      await instance.upload(items, target);
      const held = { status: "held", stale: 30, total: 40 };
      expect(await instance.upload(items.slice(0, 10), target)).toMatchObject(held);
      const { held: waiting } = await instance.documents.stats(INSTANCE);
      expect(waiting).toMatchObject([{ ...held, kind, groupName }]);
      expect(waiting[0]?.examples).toHaveLength(5);
      expect(await instance.decide(true, target)).toMatchObject({ status: "done", removed: 30 });
      await instance.upload(items, target);
      expect(await instance.upload([], { ...target, isUnchecked: true })).toMatchObject({ status: "done" });
      await instance.upload(items, target);
    }
  });
});

describe.each([1, 2, 4])("documents that an upload removed from %i shards", (shards) => {
  async function removed(more: Partial<UploadPage> = {}): Promise<Instance> {
    const instance = new Instance(shards);
    await instance.upload(pages(0, 60));
    await instance.upload([], { isUnchecked: true, ...more });
    await instance.shards.cleanUp();
    return instance;
  }

  it("are found by nobody, and come back as they were within seven days", async () => {
    const instance = await removed();
    const name = { datasource: DATASOURCE, externalId: "d3" };
    const wanted = { customData: true, content: true, contentBytesMax: 1_000_000 };
    expect(await instance.found()).toEqual([]);
    expect(
      await instance.documents.read(INSTANCE, [name, { url: "https://world.example/d3" }], READER, wanted),
    ).toEqual([]);
    expect(await instance.documents.maySee(INSTANCE, DATASOURCE, "d3", READER)).toBeUndefined();
    const at = instance.now;
    expect(await instance.documents.removedDocuments(INSTANCE)).toEqual([
      { datasource: DATASOURCE, documents: 60, firstRemovedAt: at, lastRemovedAt: at, fate: null },
    ]);

    await instance.travel(7 * DAY - 10);
    expect(await instance.documents.decideFate(INSTANCE, DATASOURCE, "bring back")).toBe(60);
    await instance.shards.cleanUp();
    expect(await instance.found()).toHaveLength(60);
    expect(await instance.documents.count(INSTANCE, DATASOURCE)).toBe(60);
    const [back] = await instance.documents.read(INSTANCE, [name], READER, wanted);
    expect(back).toMatchObject({ title: "tide 3", content: "body 3", url: "https://world.example/d3" });
    expect(await instance.documents.maySee(INSTANCE, DATASOURCE, "d3", { ...READER, directoryGroups: [] })).toBe(false);
    expect(await instance.documents.inspectDocument(INSTANCE, DATASOURCE, "d3")).toMatchObject({ tags: ["coast"] });
    const { documents: listed } = await instance.documents.listDocuments(INSTANCE, DATASOURCE, { after: "d29" });
    expect(listed[0]).toMatchObject({ externalId: "d3", contentHash: "hash 3" });
    expect(await instance.documents.removedDocuments(INSTANCE)).toEqual([]);
  });

  it("are erased after seven days", async () => {
    const instance = await removed();
    await instance.travel(7 * DAY + 1);
    expect(await instance.documents.removedDocuments(INSTANCE)).toEqual([]);
    for (const { store } of instance.shards.objects) {
      expect(store.exec("SELECT 1 FROM removed_documents")).toEqual([]);
    }
    expect(await instance.documents.decideFate(INSTANCE, DATASOURCE, "bring back")).toBe(0);
  });

  it("are erased for good by a decision, and one by one when their pipeline deletes them", async () => {
    const instance = await removed();
    await instance.documents.apply(INSTANCE, [{ act: "remove", datasource: DATASOURCE, externalId: "d3" }]);
    expect(await instance.documents.removedDocuments(INSTANCE)).toMatchObject([{ documents: 59 }]);
    await instance.documents.decideFate(INSTANCE, DATASOURCE, "erase");
    await instance.shards.cleanUp();
    expect(await instance.documents.removedDocuments(INSTANCE)).toEqual([]);
    expect(await instance.found()).toEqual([]);
  });

  it("count towards what their datasource may have, until they are erased", async () => {
    const instance = await removed();
    for (const { store } of instance.shards.objects) {
      store.exec("UPDATE datasources SET documents = 5000000 - removed WHERE name = ?1", DATASOURCE);
    }
    const put = (id: string) => instance.documents.apply(INSTANCE, [{ act: "put", document: aDocument(id) }]);
    expect(await put("new")).toEqual(["full"]);
    await instance.documents.decideFate(INSTANCE, DATASOURCE, "erase");
    await instance.shards.cleanUp();
    expect(await put("new")).toEqual(["done"]);
  });

  it("don't replace what was indexed again since", async () => {
    const instance = await removed();
    await instance.upload([{ kind: "documents", document: aDocument("d3", { title: "tide, new" }) }]);
    await instance.documents.decideFate(INSTANCE, DATASOURCE, "bring back");
    await instance.shards.cleanUp();
    expect(await instance.found()).toHaveLength(60);
    expect(await instance.documents.inspectDocument(INSTANCE, DATASOURCE, "d3")).toMatchObject({ title: "tide, new" });
  });

  it("come back along the index of names, however many others were removed", async () => {
    const instance = await removed();
    const plans = instance.shards.objects.map(({ store }) => {
      const exec = vi.spyOn(store, "exec");
      return () =>
        exec.mock.calls
          .filter(([statement]) => /FROM removed_documents WHERE .* LIMIT 1$/s.test(statement))
          .flatMap(([statement, ...bound]) =>
            store.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${statement}`, ...bound),
          )
          .map(({ detail }) => detail)
          .filter((detail) => detail.includes("removed_documents"));
    });
    await instance.documents.decideFate(INSTANCE, DATASOURCE, "bring back");
    await instance.shards.cleanUp();
    const used = plans.flatMap((plan) => plan());
    expect(used).not.toEqual([]);
    for (const plan of used) expect(plan).toMatch(/^SEARCH removed_documents USING INDEX .*\(datasource=\?/);
  });

  it("keep their permissions although no document has them any more", async () => {
    const instance = await removed();
    for (const object of instance.shards.objects) {
      const other = aDocument("other", { principals: [{ kind: "person", datasource: "", name: "cleo@acme.example" }] });
      object.store.transaction(() => applyChanges(object.store, [{ act: "put", document: other }], instance.now));
    }
    await instance.travel(DAY);
    await instance.documents.decideFate(INSTANCE, DATASOURCE, "bring back");
    await instance.shards.cleanUp();
    expect(await instance.found()).toHaveLength(60);
  });
});

describe("moving to another number of shards", () => {
  const ROUTE: readonly EngineName[] = ["shards:2", "shards:4", "object"];

  it("takes what is held and what was removed along", async () => {
    let now = 1_800_000_000;
    timeIs(() => now);
    const layouts = new Map<EngineName, LocalShards>();
    const layout = (name: EngineName) => {
      const made = layouts.get(name) ?? new LocalShards(shardsOf(name), { clock: () => now });
      layouts.set(name, made);
      return made;
    };
    const ledger = new Ledger();
    const moves = new DocumentMoves(ledger, { names: () => [], transferOf: (name) => layout(name).transfer });
    const send = async (items: readonly UploadItem[], more: Partial<UploadPage>) => {
      const { isFirstPart: _first, isLastPart: _last, ...page } = uploadPage({ isFirst: true, isLast: true, items });
      return accepted(await layout(ledger.engine).documents.takePage(INSTANCE, { ...page, ...more }));
    };
    await send(pages(0, 60), { uploadId: "a", hash: "a" });
    await send(pages(30, 60), { uploadId: "b", hash: "b", isUnchecked: true });
    const held = await send([], { uploadId: "c", hash: "c" });
    expect(held).toMatchObject({ status: "held", stale: 30, total: 30 });

    for (const to of ROUTE) {
      now += DAY;
      ledger.begin(to);
      for (;;) {
        const due = await moves.goOn(INSTANCE, 10_000);
        if (due === null) break;
      }
      const { documents: moved } = layout(to);
      expect(ledger.move).toMatchObject({ stage: "erased", problem: null });
      expect(await moved.uploads(INSTANCE, DATASOURCE)).toMatchObject([
        { status: "held", uploadId: "c", stale: 30, total: 30, heldUntil: held.heldUntil },
      ]);
      expect(await moved.removedDocuments(INSTANCE)).toMatchObject([{ documents: 30, firstRemovedAt: 1_800_000_000 }]);
    }
    const last = layout("object");
    expectCounted(last);
    const target = { kind: "documents", datasource: DATASOURCE, groupName: "", uploadId: "c" } as const;
    expect(await last.documents.decideRemoval(INSTANCE, { target, removes: true })).toMatchObject({ removed: 30 });
    await last.documents.decideFate(INSTANCE, DATASOURCE, "bring back");
    await last.cleanUp();
    expect(await last.documents.count(INSTANCE, DATASOURCE)).toBe(60);
    for (const each of layouts.values()) each.close();
  });
});
