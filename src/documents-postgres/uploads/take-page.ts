import type { IndexableDocument } from "#documents/engine.ts";
import { nextStep } from "#documents/uploads/page-order.ts";
import {
  fullDatasource,
  progressIn,
  refusalOfLeaving,
  removalsOf,
  unknownGroup,
} from "#documents/uploads/take-page.ts";
import type { PagePart, PageRefused, UploadItem, UploadProgress } from "#documents/uploads/uploads.ts";
import { namedDocument, permissionsOf } from "#documents-postgres/apply.ts";
import { hasRoomFor } from "#documents-postgres/counts.ts";
import type { Rows } from "#documents-postgres/database.ts";
import { generationOf, isDescribed, leavingIn, putDescribed } from "#documents-postgres/rights/described.ts";
import { isOverruled } from "#documents-postgres/single-changes.ts";
import { putDocument } from "#documents-postgres/write/documents.ts";
import type { Writing } from "#documents-postgres/write/writing.ts";
import { countUpload, isPageKnown, keepPage, moveUpload, noteError, startUpload, uploadOf } from "./stored.ts";

/** Stores a page, or a part of one. Stores none of its items unless it accepts all of them. */
export async function takePage(writing: Writing, part: PagePart, now: number): Promise<UploadProgress | PageRefused> {
  const { rows } = writing;
  const latest = await uploadOf(rows, part);
  const isKnown = latest !== undefined && (await isPageKnown(rows, latest.generation, part.hash));
  const step = nextStep(latest, part, isKnown);
  const refusal = "refused" in step ? step : await objectionTo(rows, part);
  if (refusal) {
    await noteError(rows, part, refusal.description, now);
    return refusal;
  }
  if ("act" in step && step.act !== "repeat") {
    const generation = step.act === "start" ? writing.nextUpload() : (latest?.generation ?? 0);
    if (step.act === "start") await startUpload(rows, part, part.hash, generation, now);
    await countUpload(rows, generation, await takeItems(writing, part, generation, now), 0, now);
    if (part.isLastPart) {
      await keepPage(rows, generation, part.hash);
      if (part.isLast) await moveUpload(rows, generation, "removing", now);
    }
  }
  return progressIn(await uploadOf(rows, part), part.uploadId);
}

async function objectionTo(
  rows: Rows,
  { kind, datasource, groupName, items }: PagePart,
): Promise<PageRefused | undefined> {
  if (kind === "memberships" && !(await isDescribed(rows, datasource, groupName))) {
    return unknownGroup(datasource, groupName);
  }
  for (const item of items) {
    const leaving = item.kind === "documents" ? undefined : await leavingIn(rows, datasource, item);
    if (leaving !== undefined) return { refused: "conflict", ...refusalOfLeaving(leaving) };
  }
  const isKnown = async (item: UploadItem) => (await knownGeneration(rows, datasource, item)) !== undefined;
  if (items.length === 0 || (await hasRoomFor(rows, datasource, kind, items, isKnown))) return undefined;
  return fullDatasource(datasource, kind);
}

/**
 * Stores the items of a page. Single changes since the upload began are newer than its pages, so they stay.
 *
 * @returns how many of the items are new in this upload
 */
async function takeItems(
  writing: Writing,
  { kind, datasource, items }: PagePart,
  generation: number,
  now: number,
): Promise<number> {
  const { rows } = writing;
  if (kind !== "documents") writing.forgetRights();
  let received = 0;
  for (const item of items) {
    const known = await knownGeneration(rows, datasource, item);
    if (known !== generation) received += 1;
    if ((known ?? 0) > generation || (await isOverruledItem(rows, datasource, item, generation))) continue;
    if (item.kind !== "documents") {
      await putDescribed(writing, datasource, item, generation, known);
      continue;
    }
    await putDocument(writing, await withOwnPermissions(rows, item.document, generation), generation, now);
  }
  return received;
}

async function knownGeneration(rows: Rows, datasource: string, item: UploadItem): Promise<number | undefined> {
  return item.kind === "documents"
    ? (await namedDocument(rows, datasource, item.document.externalId))?.generation
    : generationOf(rows, datasource, item);
}

async function isOverruledItem(rows: Rows, datasource: string, item: UploadItem, generation: number): Promise<boolean> {
  for (const [kind, name] of removalsOf(item)) {
    if (await isOverruled(rows, datasource, kind, name, generation)) return true;
  }
  return false;
}

/** Returns the document, with its stored permissions if these were replaced since the upload began. */
async function withOwnPermissions(
  rows: Rows,
  document: IndexableDocument,
  generation: number,
): Promise<IndexableDocument> {
  const { datasource, externalId } = document;
  if (!(await isOverruled(rows, datasource, "permissions", externalId, generation))) return document;
  const known = await namedDocument(rows, datasource, externalId);
  return known ? { ...document, principals: await permissionsOf(rows, known.id) } : document;
}
