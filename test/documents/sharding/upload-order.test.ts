import { expect, it } from "vitest";
import type { PartProgress } from "#documents/uploads/uploads.ts";
import { uploadPage } from "../upload-page.ts";
import { aDocument } from "../world.ts";
import { LocalObject } from "./objects.ts";

const first = (uploadId: string, generation: number, given: Parameters<typeof uploadPage>[0] = {}) => ({
  ...uploadPage({ uploadId, hash: uploadId, isFirst: true, ...given }),
  generation,
});
const items = [{ kind: "documents", document: aDocument("1") }] as const;

it("of two uploads that start at once, the one that the first shard began last is the newer one in every shard", async () => {
  const { calls, store } = new LocalObject({ clock: () => 0, isOneOfSeveral: true });
  await calls.takePart(first("newer", 6, { forceRestart: true, items }));
  expect(await calls.takePart(first("older", 4, { forceRestart: true, items }))).toMatchObject({
    refused: "conflict",
    reason: "upload_replaced",
  });
  const { status, generation } = (await calls.takePart(
    first("newer", 6, { hash: "last", isFirst: false, isLast: true }),
  )) as PartProgress;
  expect([status, generation]).toEqual(["done", 6]);
  expect(await calls.takePart(first("older", 4, { items }))).toMatchObject({ reason: "upload_replaced" });
  store.close();
});

it("an upload that the first shard began also begins in a shard where another one was left", async () => {
  const { calls, store } = new LocalObject({ clock: () => 0, isOneOfSeveral: true });
  await calls.takePart(first("left", 4, { items }));
  expect(await calls.takePart(first("next", 6, { items }))).toMatchObject({ status: "receiving", generation: 6 });
  store.close();
});

it("a page that the last one overtakes is told that the upload is complete", async () => {
  const { calls, store } = new LocalObject({ clock: () => 0 });
  await calls.takePart(uploadPage({ isFirst: true, hash: "first", items }));
  await calls.takePart(uploadPage({ hash: "long", isLastPart: false, items }));
  await calls.takePart(uploadPage({ hash: "last", isLast: true, items }));
  const rest = uploadPage({ hash: "long", isFirstPart: false, items });
  expect(await calls.takePart(rest)).toMatchObject({ refused: "conflict", reason: "upload_complete" });
  store.close();
});
