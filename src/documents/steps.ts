import { utf8Length } from "#protocol/utf8-length.ts";
import { batchesOf } from "./batches.ts";
import type { DocumentChange, IndexableDocument, Principal } from "./engine.ts";
import type { ValuesOfDocument } from "./metadata/metadata.ts";
import type { PagePart, UploadItem, UploadPage } from "./uploads/uploads.ts";
import { INDEXING_WORK, STEP_WORK, WORK } from "./work.ts";
import { PRINCIPALS_AT_ONCE, workOfPrincipal } from "./write/access-classes.ts";

/** The most that one call sends, so that reading it holds the object no longer than a step, and takes a few megabytes. */
const CALL_SIZE = 4_000_000;

/** The size of an item and of a principal beside their texts: what reading them takes. */
const ITEM_SIZE = 1000;
const PRINCIPAL_SIZE = 200;

/** Splits changes into calls. */
export function callsOfChanges(changes: readonly DocumentChange[]): Iterable<readonly DocumentChange[]> {
  return batchesOf(changes, sizeOfChange, CALL_SIZE);
}

/** Splits documents' values into calls. */
export function callsOfValues(documents: readonly ValuesOfDocument[]): Iterable<readonly ValuesOfDocument[]> {
  const sizeOf = ({ values }: ValuesOfDocument) =>
    values.reduce((sum, one) => sum + ITEM_SIZE + one.values.join("").length, ITEM_SIZE);
  return batchesOf(documents, sizeOf, CALL_SIZE);
}

/** Splits a page into calls, which is usually one. */
export function callsOfPage(page: UploadPage): Iterable<PagePart> {
  const sizeOf = (item: UploadItem) => (item.kind === "documents" ? sizeOfDocument(item.document) : ITEM_SIZE);
  return partsOf({ ...page, isFirstPart: true, isLastPart: true }, sizeOf, CALL_SIZE);
}

/** Splits a part of a page into smaller ones that weigh at most `max`. An empty one remains one part. */
export function* partsOf(
  part: PagePart,
  weightOf: (item: UploadItem) => number,
  max: number,
): Generator<PagePart, undefined> {
  let taken = 0;
  for (const items of part.items.length === 0 ? [[]] : batchesOf(part.items, weightOf, max)) {
    const isFirstPart = part.isFirstPart && taken === 0;
    taken += items.length;
    yield { ...part, items, isFirstPart, isLastPart: part.isLastPart && taken === part.items.length };
  }
}

function sizeOfChange(change: DocumentChange): number {
  if (change.act === "put") return sizeOfDocument(change.document);
  return ITEM_SIZE + (change.act === "permit" ? sizeOfPrincipals(change.principals) : 0);
}

/** Counts characters. Each takes at most two bytes. */
function sizeOfDocument({ title, body, keywords, summary, principals }: IndexableDocument): number {
  const texts = title.length + body.length + keywords.length + (summary?.length ?? 0);
  return ITEM_SIZE + texts + sizeOfPrincipals(principals);
}

function sizeOfPrincipals(principals: readonly Principal[]): number {
  return principals.reduce((sum, { name }) => sum + PRINCIPAL_SIZE + name.length, 0);
}

/** Returns what a change's own step takes, in microseconds of CPU. */
export function workOfChange(change: DocumentChange): number {
  if (change.act === "put") return workOfDocument(change.document);
  return WORK.change + (change.act === "permit" ? workOfPrincipals(change.principals) : WORK.document);
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
  return principals.reduce((sum, one) => sum + workOfPrincipal(one), 0);
}

/** Checks whether a list is resolved before the step of its document, in steps of its own. */
export function isResolvedBefore(principals: readonly Principal[]): boolean {
  return principals.length > PRINCIPALS_AT_ONCE || workOfNames(principals) > STEP_WORK / 2;
}
