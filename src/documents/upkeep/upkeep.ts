import { forgetSingleChanges } from "#documents/generations.ts";
import { count } from "#documents/counts.ts";
import { migrateRest } from "#documents/migrations.ts";
import { settleNext } from "#documents/metadata/settle.ts";
import { areSomeLeaving, removeLeft } from "#documents/rights/change-rights.ts";
import type { NamedGroup } from "#documents/rights/rights.ts";
import { stateOf, type Store } from "#documents/store.ts";
import { removeNext } from "#documents/uploads/removal.ts";
import { decideNext } from "#documents/uploads/bring-back.ts";
import { eraseExpired, nextExpired } from "#documents/uploads/removed-documents.ts";
import { releaseHeld } from "#documents/uploads/stale.ts";
import { unfinishedUpload } from "#documents/uploads/uploads.sql.ts";
import { isSomethingUnlearnt, learnLanguages, learnNext } from "#documents/write/vocabulary.ts";
import { compactRows } from "./compact.ts";
import { mapCommonWords } from "./common-words.ts";
import { mergeIndexes } from "./merge-indexes.ts";
import { reindexOld } from "./reindex.ts";
import { removeUnheld } from "./unheld.ts";

/** A pipeline that hasn't sent a page for this long won't continue. */
const ABANDONED_SECONDS = 3 * 24 * 3600;

/** How long the status of an upload can be read. */
const REMEMBERED_SECONDS = 30 * 24 * 3600;

/** Uploads that one step forgets. */
const UPLOADS_A_STEP = 100;

export interface UpkeepOptions {
  /** Whether what no document names may be removed. */
  readonly mayRemove?: boolean;
  /** Whether other objects have documents of this instance as well. */
  readonly isOneOfSeveral?: boolean;
}

/**
 * Does the next step of what requests left to the alarm, inside the caller's transaction. It takes much less time than others may have
 * to wait.
 *
 * @param now epoch seconds
 * @returns when there is more to do, in epoch seconds; `null`: nothing is left
 */
export function upkeepStep(
  store: Store,
  now: number,
  { mayRemove = true, isOneOfSeveral = false }: UpkeepOptions = {},
): number | null {
  if (removeLeft(store) || learnNext(store)) return now;
  const unfinished = unfinishedUpload(store);
  if (unfinished) {
    removeNext(store, unfinished, now);
    return now;
  }
  if (releaseHeld(store, now) || decideNext(store) || eraseExpired(store, now)) return now;
  if (giveUp(store, now - ABANDONED_SECONDS)) return now;
  if (forgetSingleChanges(store)) return now;
  if (forgetUploads(store, now - REMEMBERED_SECONDS)) return now;
  if (!migrateRest(store)) return now;
  if (!learnLanguages(store)) return now;
  if (!reindexOld(store)) return now;
  if (!compactRows(store)) return now;
  if (!mapCommonWords(store)) return now;
  if (!mergeIndexes(store)) return now;
  if (!settleNext(store)) return now;
  // Who resolves principals now is done within seconds.
  if (!mayRemove) return now + 60;
  if (!removeUnheld(store, now)) return now;
  // Documents in other objects may still name a deleted group, and then its name must not mean the directory's group.
  if (stateOf(store, "importing") === 0 && !isOneOfSeveral) removeDeletedGroups(store);
  return nextDue(store);
}

/** Whether a write left work that can't wait for the next regular alarm. */
export function isUpkeepUrgent(store: Store): boolean {
  return areSomeLeaving(store) || isSomethingUnlearnt(store);
}

/** Returns when the next upload will be removed, given up or forgotten, or the next removed document erased. */
function nextDue(store: Store): number | null {
  const [row] = store.exec<{ due: number | null }>(
    `SELECT min(iif(stage = 'held', held_until,
       changed_at + iif(stage = 'receiving', ${ABANDONED_SECONDS}, ${REMEMBERED_SECONDS}))) AS due FROM bulk_uploads`,
  );
  const due = [row?.due ?? null, nextExpired(store)].filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due);
}

/**
 * Gives up an upload whose last page never came. What its pages brought stays, and so does everything else. What was held before it no
 * longer shortens the time of a later one.
 */
function giveUp(store: Store, unmovedSince: number): boolean {
  const given = store.exec<{ generation: number }>(
    `UPDATE bulk_uploads SET stage = 'given up', held_until = NULL WHERE generation = (
       SELECT generation FROM bulk_uploads WHERE stage = 'receiving' AND changed_at <= ?1 LIMIT 1)
     RETURNING generation`,
    unmovedSince,
  );
  for (const { generation } of given) store.exec("DELETE FROM upload_pages WHERE generation = ?1", generation);
  return given.length > 0;
}

function forgetUploads(store: Store, endedBefore: number): boolean {
  const gone = store.exec<{ generation: number }>(
    `DELETE FROM bulk_uploads WHERE generation IN (
       SELECT generation FROM bulk_uploads WHERE stage IN ('done', 'given up') AND changed_at <= ?1 LIMIT ${UPLOADS_A_STEP})
     RETURNING generation`,
    endedBefore,
  );
  for (const { generation } of gone) store.exec("DELETE FROM upload_pages WHERE generation = ?1", generation);
  return gone.length > 0;
}

const NAMED_IN_PERMISSIONS = `EXISTS (SELECT 1 FROM principals p
  WHERE p.kind = 'group' AND p.name = datasource_groups.name AND p.datasource = datasource_groups.datasource)`;

const UNNAMED = `is_deleted = 1 AND NOT ${NAMED_IN_PERMISSIONS} AND NOT EXISTS (SELECT 1 FROM memberships m
  WHERE m.member_kind = 'group' AND m.member = datasource_groups.name AND m.datasource = datasource_groups.datasource)`;

/** Deleted groups of which several objects are asked at once whether documents name them. */
const ASKED_MAX = 500;

/** Returns some deleted groups that no document or membership of this object names. */
export function unnamedGroups(store: Store): readonly NamedGroup[] {
  return store.exec<NamedGroup>(`SELECT datasource, name FROM datasource_groups WHERE ${UNNAMED} LIMIT ${ASKED_MAX}`);
}

/** Returns those of the groups that permissions of documents in this object name. */
export function groupsNamedHere(store: Store, groups: readonly NamedGroup[]): readonly NamedGroup[] {
  return store.exec<NamedGroup>(
    `SELECT p.datasource, p.name FROM json_each(?1) g CROSS JOIN principals p
       ON p.kind = 'group' AND p.name = g.value ->> 'name' AND p.datasource = g.value ->> 'datasource'`,
    JSON.stringify(groups),
  );
}

/**
 * Removes the marks of deleted groups that no document or membership names any more. Their names then mean the directory's groups
 * again.
 *
 * @param only if other objects have documents as well: the groups that none of them names
 */
export function removeDeletedGroups(store: Store, only: readonly NamedGroup[] | null = null): void {
  const gone = store.exec<{ datasource: string }>(
    `DELETE FROM datasource_groups WHERE ${UNNAMED} AND (?1 IS NULL OR (datasource, name) IN (
       SELECT value ->> 'datasource', value ->> 'name' FROM json_each(?1)))
     RETURNING datasource`,
    only && JSON.stringify(only),
  );
  for (const [datasource, groups] of Map.groupBy(gone, (group) => group.datasource)) {
    count(store, datasource, "groups", -groups.length);
  }
}
