import { AuditedStore, record, recordAs } from "./audited-store.sql.ts";
import { changesOf, runBatch } from "#platform/d1.ts";
import { asMembers } from "#platform/columns.sql.ts";
import { isObject } from "#protocol/json-object.ts";
import { equals, holds, type Listing, readListing } from "#platform/listing.sql.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { AUDIT_LIST } from "./audit-list.ts";
import type { AuditEntry, ProvenEntry, RecordedEntry, Seal } from "./audit.ts";
import type { AuditEvent } from "./audit-events.ts";

/** How long entries are kept, in seconds. */
interface Kept {
  /** If nobody decided about it. */
  readonly byDefault: number;
  readonly least: number;
}

interface Row extends Omit<RecordedEntry, "detail" | "seal"> {
  readonly detail: string;
  readonly previousHash: string | null;
  readonly hash: string | null;
}

/** Length of a SHA-256 in base64url. The MAC after it is not covered by the next entry's hash. */
const HASH_CHARACTERS = 43;

const WRITTEN = "instance_id, sequence, at, actor, event, detail, previous_hash, hash";

const COLUMNS = asMembers(WRITTEN);

/** The condition of the index audit_retentions, as it is spelled there. */
const DECIDES_RETENTION = `(event = 'audit_trimmed'
  OR (event = 'settings_changed' AND detail ->> '$.after.auditKeptSeconds' IS NOT NULL))`;

const LISTING: Listing<typeof AUDIT_LIST> = {
  columns: COLUMNS,
  from: "audit",
  where: "instance_id = ?1",
  id: "sequence",
  search: holds("event", "detail"),
  filters: {
    actor: equals("actor"),
    event: (bind, value) => `instr(event, ${bind(value)}) = 1`,
    from: (bind, value) => `at >= CAST(${bind(value)} AS INTEGER)`,
    until: (bind, value) => `at < CAST(${bind(value)} AS INTEGER)`,
  },
  sorts: { sequence: "sequence" },
};

/** The statements of the audit. None changes an entry, but a seal is added to entries that have none. */
export class D1Audit extends AuditedStore {
  /** Returns the first entries without a seal, oldest first, after the sealed entry that they follow, if there is one. */
  async unsealed(instanceId: number, limit: number): Promise<ProvenEntry[]> {
    type UnsealedRow = Row & { readonly proof: string | null; readonly isCopy: number };
    return this.all(
      `SELECT ${COLUMNS}, proof, hash IS NULL AND EXISTS (
         SELECT 1 FROM audit earlier INDEXED BY audit_by_time WHERE earlier.instance_id = audit.instance_id
           AND earlier.at = audit.at AND earlier.proof = audit.proof AND earlier.sequence < audit.sequence) AS isCopy
       FROM audit WHERE instance_id = ?1 AND sequence >= (
         SELECT min(sequence) - 1 FROM audit INDEXED BY audit_unsealed WHERE instance_id = ?1 AND hash IS NULL)
       ORDER BY sequence LIMIT ?2`,
      [instanceId, limit],
      ({ proof, isCopy, ...row }: UnsealedRow) => ({ ...toEntry(row), proof, isCopy: isCopy === 1 }),
    );
  }

  /**
   * Seals entries that have no seal yet. If two callers seal at once, both write the same hashes, because these follow from what is sealed, which never changes. The
   * CAST is needed because D1 binds numbers as REAL, with which `->>` finds no element.
   *
   * @param first the sequence number of the first of them
   * @param hashes the hash that the first one follows, then each entry's own
   */
  async seal(instanceId: number, first: number, hashes: readonly string[]): Promise<void> {
    await this.run(
      `UPDATE audit SET
         previous_hash = substr(?2 ->> CAST(sequence - ?3 AS INTEGER), 1, ${HASH_CHARACTERS}), hash = ?2 ->> CAST(sequence - ?3 + 1 AS INTEGER)
       WHERE instance_id = ?1 AND sequence BETWEEN ?3 AND ?4 AND hash IS NULL`,
      [instanceId, JSON.stringify(hashes), first, first + hashes.length - 2],
    );
  }

  /** Records something that the audit itself found. */
  async append(entry: AuditEntry): Promise<void> {
    await runBatch(this.database, [record(this.database, entry)]);
  }

  /** Records what an upload removes, or would remove, unless there is an entry with the same details. */
  async appendOnce(entry: AuditEntry<"removal_held"> | AuditEntry<"removal_unchecked">): Promise<void> {
    const condition = `WHERE NOT EXISTS (SELECT 1 FROM audit INDEXED BY audit_removals WHERE instance_id = ?1
      AND detail = ?2 AND event = ?5 AND event IN ('removal_held', 'removal_unchecked'))`;
    await runBatch(this.database, [recordAs<AuditEvent>(this.database, entry, { condition })]);
  }

  async instancesWithUnsealed(limit: number): Promise<number[]> {
    const sql = "SELECT DISTINCT instance_id AS id FROM audit WHERE hash IS NULL LIMIT ?1";
    return this.all(sql, [limit], ({ id }: { id: number }) => id);
  }

  /**
   * Returns instances that, at a given time, had an entry older than their log says that it keeps them, the oldest first. The
   * statement looks only at the first entry of each.
   */
  async overdue(at: number, { byDefault, least }: Kept, limit: number): Promise<number[]> {
    return this.all(
      `SELECT i.id FROM instances i JOIN audit a ON a.instance_id = i.id
         AND a.sequence = (SELECT min(sequence) FROM audit WHERE instance_id = i.id)
       WHERE a.at <= ?1 - max(?3, coalesce((SELECT coalesce(detail ->> '$.keptSeconds', detail ->> '$.after.auditKeptSeconds')
         FROM audit INDEXED BY audit_retentions WHERE instance_id = i.id AND ${DECIDES_RETENTION}
         ORDER BY sequence DESC LIMIT 1), ?2))
       ORDER BY a.at LIMIT ?4`,
      [at, byDefault, least, limit],
      ({ id }: { id: number }) => id,
    );
  }

  /**
   * Returns the last entry before a sequence number that decides how long entries are kept: a change of the setting, or the record
   * of a removal, which repeats what applied. `null` if there is none.
   */
  async retentionBefore(instanceId: number, sequence: number): Promise<RecordedEntry | null> {
    return this.first(
      `SELECT ${COLUMNS} FROM audit INDEXED BY audit_retentions
       WHERE instance_id = ?1 AND sequence < ?2 AND ${DECIDES_RETENTION} ORDER BY sequence DESC LIMIT 1`,
      [instanceId, sequence],
      toEntry,
    );
  }

  /** Returns the last entry; `null` before the first. */
  async head(instanceId: number): Promise<RecordedEntry | null> {
    return this.first(
      `SELECT ${COLUMNS} FROM audit WHERE instance_id = ?1 ORDER BY sequence DESC LIMIT 1`,
      [instanceId],
      toEntry,
    );
  }

  /** Lists entries; `AUDIT_LIST` has the filters. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<RecordedEntry>> {
    return readListing(this.database, LISTING, [instanceId], query, toEntry);
  }

  /** Returns the entries after a sequence number, oldest first. */
  async after(instanceId: number, sequence: number, limit: number): Promise<RecordedEntry[]> {
    return this.all(
      `SELECT ${COLUMNS} FROM audit WHERE instance_id = ?1 AND sequence > ?2 ORDER BY sequence LIMIT ?3`,
      [instanceId, sequence, limit],
      toEntry,
    );
  }

  /** Returns the record of retention that it removed the entries up to `through`, the last of which had `hash`. */
  async cutAt(instanceId: number, through: number, hash: string): Promise<RecordedEntry | null> {
    return this.first(
      `SELECT ${COLUMNS} FROM audit INDEXED BY audit_cuts WHERE instance_id = ?1 AND event = 'audit_trimmed'
       AND hash IS NOT NULL AND detail ->> '$.through' = ?2 AND detail ->> '$.hash' = ?3 LIMIT 1`,
      [instanceId, through, hash],
      toEntry,
    );
  }

  /**
   * Removes the entries up to a sequence number, and records that.
   *
   * @returns `false` if another entry has the record's sequence number already; nothing is removed then
   */
  async cut(cut: RecordedEntry & { readonly seal: Seal }, through: number): Promise<boolean> {
    const { instanceId, sequence, at, actor, event, detail, seal } = cut;
    const results = await runBatch(this.database, [
      this.statement(`INSERT INTO audit (${WRITTEN}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING`, [
        instanceId,
        sequence,
        at,
        actor,
        event,
        JSON.stringify(detail),
        seal.previousHash,
        seal.hash,
      ]),
      this.statement("DELETE FROM audit WHERE instance_id = ?1 AND sequence <= ?2 AND changes() > 0", [
        instanceId,
        through,
      ]),
    ]);
    return changesOf(results, 0) > 0;
  }
}

function toEntry({ detail, previousHash, hash, ...entry }: Row): RecordedEntry {
  // Like the statements, which take an entry with a hash for a sealed one. Half a seal is then a wrong one.
  const seal = hash === null ? null : { previousHash: previousHash ?? "", hash };
  return { ...entry, detail: toDetail(detail), seal };
}

/**
 * Reads details. Hashes and proofs cover what is returned here, while statements read the text, and take the first of two members
 * with one name, where the parser takes the last. So a text that isn't exactly as the service writes it is not read: its hash and
 * its proof are wrong then.
 */
function toDetail(text: string): RecordedEntry["detail"] {
  try {
    const detail: unknown = JSON.parse(text);
    if (isObject(detail) && JSON.stringify(detail) === text) return detail;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { unreadable: text };
}
