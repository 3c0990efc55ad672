import { utf8Length } from "#protocol/utf8-length.ts";
import { batchesOf } from "./batches.ts";
import type { DocumentChange, IndexableDocument, Principal } from "./engine.ts";
import type { PagePart, UploadItem, UploadPage } from "./uploads/uploads.ts";
import { INDEXING_WORK, STEP_WORK, WORK } from "./work.ts";
import { PRINCIPALS_AT_ONCE } from "./write/access-classes.ts";

/** Splits changes into steps that are one transaction each. Each takes at most {@link STEP_WORK}, or is one change. */
export function stepsOfChanges(changes: readonly DocumentChange[]): readonly (readonly DocumentChange[])[] {
  return batchesOf(changes, workOfChange, STEP_WORK);
}

/** Returns what a change's own step takes, in microseconds of CPU. */
export function workOfChange(change: DocumentChange): number {
  if (change.act === "put") return workOfDocument(change.document);
  return WORK.change + (change.act === "permit" ? workOfPrincipals(change.principals) : WORK.document);
}

/** Splits a page into parts that are one transaction each. An empty page is one part. */
export function partsOf(page: UploadPage): PagePart[] {
  const parts = batchesOf<UploadItem>(page.items, workOfItem, STEP_WORK);
  return (parts.length === 0 ? [[]] : parts).map((items, at) => ({
    ...page,
    items,
    isFirstPart: at === 0,
    isLastPart: at >= parts.length - 1,
  }));
}

/** Returns what an item of an upload takes. */
export function workOfItem(item: UploadItem): number {
  return item.kind === "documents" ? workOfDocument(item.document) : WORK.rights;
}

/**
 * Counts bytes and separators, not words: that would take as long as the step. The words of a text are at least as long as those of
 * scripts that are cut by character.
 */
function workOfDocument({ title, body, keywords, summary, tags, principals }: IndexableDocument): number {
  const bytes = utf8Length(`${title}${body}${keywords}`);
  const stored = bytes + utf8Length(summary ?? "");
  const reading = Math.min(bytes * WORK.unreadByte + (tags.length + 1) * WORK.line, INDEXING_WORK);
  return WORK.change + WORK.document + stored * WORK.storedByte + reading + workOfPrincipals(principals);
}

/** Returns what a list takes in the step of its document: a long one was resolved before. */
function workOfPrincipals(principals: readonly Principal[]): number {
  if (isResolvedBefore(principals)) return principals.length * WORK.resolvedPrincipal;
  return workOfNames(principals);
}

function workOfNames(principals: readonly Principal[]): number {
  return principals.reduce(
    (sum, { kind, name }) =>
      sum +
      WORK.principal +
      WORK.newPrincipal +
      (kind === "intersection" ? groupsIn(name) * WORK.intersectionGroup : 0),
    0,
  );
}

/** Checks whether a list is resolved before the step of its document, in steps of its own. */
export function isResolvedBefore(principals: readonly Principal[]): boolean {
  return principals.length > PRINCIPALS_AT_ONCE || workOfNames(principals) > STEP_WORK / 2;
}

function groupsIn(intersection: string): number {
  return (JSON.parse(intersection) as string[]).length;
}
