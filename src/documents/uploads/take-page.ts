import { rowOf } from "#documents/apply.ts";
import { isOverruled, type Overruled, uploadGeneration } from "#documents/generations.ts";
import { hasRoomFor } from "#documents/counts.ts";
import type { IndexableDocument } from "#documents/engine.ts";
import { leavingIn, membershipName } from "#documents/rights/change-rights.ts";
import { generationOf, putDescribed } from "#documents/rights/described.ts";
import { isDescribed } from "#documents/rights/rights.sql.ts";
import { datasourceFull, type Refused, unknownGroup } from "#documents/refused.ts";
import type { Store } from "#documents/store.ts";
import { forgetRights, putDocument } from "#documents/write/documents.ts";
import { type ResolvedClasses, writeInStep, type WriteStep } from "#documents/write/write-step.ts";
import { nextStep } from "./page-order.ts";
import { completeUpload, decide, isMassRemoval } from "./stale.ts";
import { countUpload, isPageKnown, keepPage, noteError, removalOf, startUpload, uploadOf } from "./uploads.sql.ts";
import {
  nothingTaken,
  type PagePart,
  type PartProgress,
  type UploadItem,
  type UploadProgress,
  type UploadTarget,
} from "./uploads.ts";

/** Takes a page, or part of one, inside the caller's transaction. Nothing is written until nothing can refuse it. */
export function takePage(
  store: Store,
  part: PagePart,
  now: number,
  classes?: ResolvedClasses,
): Omit<PartProgress, "taken"> | Refused {
  const latest = uploadOf(store, part);
  const isKnown = latest !== undefined && isPageKnown(store, latest.generation, part.hash);
  const step = nextStep(latest, part, isKnown);
  const refusal = typeof step === "object" ? step : objectionTo(store, part);
  if (refusal) {
    noteError(store, part, refusal.description, now);
    return refusal;
  }
  if (step !== "repeat") {
    if (step === "start") startUpload(store, part, part.hash, uploadGeneration(store, part.generation), now);
    const generation = uploadOf(store, part)?.generation ?? 0;
    const received = writeInStep(store, (own) => takeItems(store, part, generation, now, own), classes);
    countUpload(store, generation, received, 0, now);
    if (part.isLastPart) {
      keepPage(store, generation, part.hash);
      if (part.isLast) completeUpload(store, part, now);
    }
  }
  // Several shards decide together (sharding/sharded-documents.ts). A last page that comes again may ask for the removal.
  if (part.isLast && part.isLastPart && !part.isOneOfSeveral) {
    const removal = uploadOf(store, part);
    if (removal && (part.isUnchecked || !isMassRemoval(removal))) decide(store, part, true, now);
  }
  const upload = uploadOf(store, part);
  return { ...progressOf(store, part, upload), generation: upload?.generation ?? 0 };
}

/** Returns how far the upload is. @param upload the stored one, if it was already read */
export function progressOf(store: Store, target: UploadTarget, upload = uploadOf(store, target)): UploadProgress {
  const { uploadId } = target;
  if (!upload) return { ...nothingTaken(uploadId), status: "done" };
  const { stage, startedAt, received, removed } = upload;
  // An upload that was given up takes no page, and nothing of it is left to do.
  const status = stage === "given up" ? "done" : stage;
  return { uploadId, status, startedAt, received, removed, ...removalOf(stage, upload) };
}

function objectionTo(store: Store, { kind, datasource, groupName, items }: PagePart): Refused | undefined {
  if (kind === "memberships" && !isDescribed(store, datasource, groupName)) return unknownGroup(datasource, groupName);
  for (const item of items) {
    const leaving = item.kind === "documents" ? undefined : leavingIn(store, datasource, item);
    if (leaving) return leaving;
  }
  const isKnown = (item: UploadItem) => knownGeneration(store, datasource, item) !== undefined;
  if (items.length === 0 || hasRoomFor(store, datasource, kind, items, isKnown)) return undefined;
  return datasourceFull(kind);
}

/**
 * Writes the items of a page. Items that a single change has changed since the upload began are newer, and stay.
 *
 * @returns how many the upload had not brought before
 */
function takeItems(
  store: Store,
  { kind, datasource, items }: PagePart,
  generation: number,
  now: number,
  step: WriteStep,
): number {
  if (kind !== "documents") forgetRights(store);
  let received = 0;
  for (const item of items) {
    const known = knownGeneration(store, datasource, item);
    if (known !== generation) received += 1;
    if (isOverruledItem(store, datasource, item, generation) || (known ?? 0) > generation) continue;
    if (item.kind !== "documents") {
      putDescribed(store, datasource, item, generation, known);
      continue;
    }
    putDocument(store, item.document, generation, now, step, ownClass(store, item.document, generation));
  }
  return received;
}

function knownGeneration(store: Store, datasource: string, item: UploadItem): number | undefined {
  return item.kind === "documents"
    ? rowOf(store, datasource, item.document.externalId)?.generation
    : generationOf(store, datasource, item);
}

function isOverruledItem(store: Store, datasource: string, item: UploadItem, generation: number): boolean {
  return removalsOf(item).some(([kind, name]) => isOverruled(store, datasource, kind, name, generation));
}

/** Returns the removals that an item must be newer than, with the names under which single changes are remembered. */
function removalsOf(item: UploadItem): readonly (readonly [Overruled, name: string])[] {
  switch (item.kind) {
    case "documents":
      return [["documents", item.document.externalId]];
    case "users":
      return [["users", item.user.userId]];
    case "memberships": {
      const { memberKind, member } = item.membership;
      const own = ["memberships", membershipName(item.membership)] as const;
      // Removing a user also removed their memberships.
      return memberKind === "user" ? [own, ["users", member]] : [own];
    }
    case "groups":
    default:
      // A removed group keeps its row, which has the generation of the removal.
      return [];
  }
}

/** Returns a document's present class, if its permissions were replaced since the upload began: it keeps them. */
function ownClass(store: Store, { datasource, externalId }: IndexableDocument, generation: number): number | undefined {
  if (!isOverruled(store, datasource, "permissions", externalId, generation)) return undefined;
  const statement = "SELECT access_class AS accessClass FROM documents WHERE datasource = ?1 AND external_id = ?2";
  return store.exec<{ accessClass: number }>(statement, datasource, externalId)[0]?.accessClass;
}
