import { singleGeneration } from "#documents/generations.ts";
import { count } from "#documents/counts.ts";
import { removeGroup, removeUser } from "#documents/rights/change-rights.ts";
import { deleteMembership } from "#documents/rights/rights.sql.ts";
import type { Membership } from "#documents/rights/rights.ts";
import type { Store } from "#documents/store.ts";
import { writeInStep } from "#documents/write/write-step.ts";
import { forgetRights, removeDocument } from "#documents/write/documents.ts";
import { keepRemoved, type KeptDocument } from "./removed-documents.ts";
import { countUpload, keepPosition, moveUpload, type StoredUpload, type Target, uploadOf } from "./uploads.sql.ts";

/** Limits of one step, which takes much less time than others may have to wait. */
const DOCUMENTS_A_STEP = 80;
const BYTES_A_STEP = 1_000_000;
const NAMES_A_STEP = 250;
/** For all users that a step removes together. The alarm removes the rest. */
const MEMBERSHIPS_A_STEP = 1000;
const LOOKED_AT_A_STEP = 2000;

/** For each group that a step removes. The alarm removes the rest. */
const MEMBERSHIPS_A_GROUP = 4;

/** Removes some of what a complete upload didn't contain, inside the caller's transaction. In the end, it is done. */
export function removeNext(store: Store, target: Target, now: number): void {
  const upload = uploadOf(store, target);
  if (upload?.stage !== "removing") return;
  const { removed, isDone } =
    upload.kind === "documents" ? removeDocuments(store, upload, now) : removeNames(store, upload);
  countUpload(store, upload.generation, 0, removed, now);
  if (isDone) moveUpload(store, upload.generation, "done", now);
}

interface Step {
  readonly removed: number;
  readonly isDone: boolean;
}

function removeDocuments(store: Store, { datasource, generation }: StoredUpload, now: number): Step {
  const older = store.exec<KeptDocument & { readonly bytes: number }>(
    `SELECT id, datasource, external_id AS externalId, octet_length(body) AS bytes FROM documents WHERE datasource = ?1 AND generation < ?2
     ORDER BY generation LIMIT ${DOCUMENTS_A_STEP}`,
    datasource,
    generation,
  );
  let bytes = 0;
  let removed = 0;
  writeInStep(store, (step) => {
    for (const document of older) {
      if (removed > 0 && bytes + document.bytes > BYTES_A_STEP) break;
      keepRemoved(store, document, now, step);
      removeDocument(store, document.id, step);
      bytes += document.bytes;
      removed += 1;
    }
  });
  return { removed, isDone: removed === older.length && older.length < DOCUMENTS_A_STEP };
}

/** Removes users, groups or memberships. No index has these by generation, so a stretch of their table is read. */
function removeNames(store: Store, upload: StoredUpload): Step {
  const { datasource, generation } = upload;
  const stretch = stretchOf(store, upload);
  const older = stretch.filter((row) => row.generation < generation);
  if (older.length > 0) forgetRights(store);
  let removed = 0;
  let memberships = 0;
  for (const row of older) {
    if (removed === NAMES_A_STEP || memberships >= MEMBERSHIPS_A_STEP) break;
    if (upload.kind === "users")
      memberships += removeUser(store, datasource, row.name, MEMBERSHIPS_A_STEP - memberships);
    else if (upload.kind === "groups")
      removeGroup(store, datasource, row.name, singleGeneration(store), MEMBERSHIPS_A_GROUP);
    else count(store, datasource, "memberships", -deleteMembership(store, datasource, membershipOf(upload, row)));
    removed += 1;
  }
  const isCutShort = removed < older.length;
  const last = isCutShort ? older[removed - 1] : stretch.at(-1);
  keepPosition(store, upload.generation, JSON.stringify([last?.part ?? "", last?.name ?? ""]));
  return { removed, isDone: !isCutShort && stretch.length < LOOKED_AT_A_STEP };
}

interface NamedRow {
  /** The kind of a member; empty for users and groups. */
  readonly part: string;
  readonly name: string;
  readonly generation: number;
}

/** Returns names in order, from the one that the removal has reached. */
function stretchOf(store: Store, upload: StoredUpload): readonly NamedRow[] {
  return store.exec<NamedRow>(...stretchSql(upload));
}

/** Returns the statement that reads these names, and its values. */
export function stretchSql(upload: StoredUpload): readonly [statement: string, ...values: string[]] {
  const { kind, datasource, groupName, position } = upload;
  const [part, name] = position === "" ? ["", ""] : (JSON.parse(position) as [string, string]);
  if (kind === "memberships") {
    return [
      `SELECT member_kind AS part, member AS name, generation FROM memberships INDEXED BY memberships_by_group
       WHERE datasource = ?1 AND group_name = ?2 AND (member_kind, member) > (?3, ?4)
       ORDER BY member_kind, member LIMIT ${LOOKED_AT_A_STEP}`,
      datasource,
      groupName,
      part,
      name,
    ];
  }
  const [table, column] = kind === "users" ? ["datasource_users", "user_id"] : ["datasource_groups", "name"];
  return [
    `SELECT '' AS part, ${column} AS name, generation FROM ${table}
     WHERE datasource = ?1 AND ${column} > ?2 ${kind === "groups" ? "AND is_deleted = 0" : ""}
     ORDER BY ${column} LIMIT ${LOOKED_AT_A_STEP}`,
    datasource,
    name,
  ];
}

function membershipOf({ groupName }: StoredUpload, { part, name }: NamedRow): Membership {
  return { groupName, memberKind: part === "group" ? "group" : "user", member: name };
}
