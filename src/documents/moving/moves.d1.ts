import { AuditedStore, recordIfChanged } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { changesOf, runBatch, runStatement } from "#platform/d1.ts";
import type { Move, MoveLedger, MoveStage, NewMove, RestoredPlacement, Rewinding } from "./move.ts";
import type { Placement } from "./engines.ts";

const COLUMNS = `instance_id AS instanceId, turn, move, source AS "from", target AS "to", stage, requested_by AS requestedBy,
  started_at AS startedAt, changed_at AS changedAt, copied, total, behind, counted, attempts, problem`;

/** Selects a move that is still in the turn that the caller has seen. */
const IN_TURN = "instance_id = ?1 AND turn = ?2";

/**
 * The moves of documents, and where documents are. Each decision of an administrator is written with its audit entry, and returns whether
 * the move or the placement was as they saw it.
 */
export class D1Moves extends AuditedStore implements MoveLedger {
  async placementOf(instanceId: number): Promise<Placement> {
    const row = await this.first<Placement>(
      "SELECT documents AS engine, documents_turn AS turn FROM instances WHERE id = ?1",
      [instanceId],
    );
    return row ?? { engine: "object", turn: 0 };
  }

  find(instanceId: number): Promise<Move | null> {
    return this.first<Move>(`SELECT ${COLUMNS} FROM document_moves WHERE instance_id = ?1`, [instanceId]);
  }

  async underWay(): Promise<number[]> {
    const rows = await this.all<{ id: number }>(
      "SELECT instance_id AS id FROM document_moves WHERE stage NOT IN ('erased', 'returned') ORDER BY changed_at LIMIT 20",
    );
    return rows.map(({ id }) => id);
  }

  /** Begins a move, only if no other is in progress and the documents are where the move takes them from. */
  async begin({ instanceId, turn, from, to, total }: NewMove, entry: AuditEntry<"documents_move_started">) {
    const statement = this.statement(
      `INSERT INTO document_moves (instance_id, turn, move, source, target, stage, requested_by, started_at, changed_at, total)
       SELECT ?1, ?2, ?2, ?3, ?4, 'copying', ?5, ?6, ?6, ?7 FROM instances WHERE id = ?1 AND documents = ?3
       ON CONFLICT (instance_id) DO UPDATE SET turn = ?2, move = ?2, source = ?3, target = ?4, stage = 'copying',
         requested_by = ?5, started_at = ?6, changed_at = ?6, total = ?7, copied = 0, behind = NULL, counted = NULL, attempts = 0, problem = NULL
       WHERE turn < ?2 AND (stage IN ('erased', 'returned') OR (stage = 'moved' AND source = ?4))`,
      [instanceId, turn, from, to, entry.actor, entry.at, total],
    );
    return this.decide(statement, entry);
  }

  async cancel(move: Move, entry: AuditEntry<"documents_move_cancelled">): Promise<boolean> {
    return this.decide(this.#next(move, "returning", null, entry.at), entry);
  }

  async erase(move: Move, entry: AuditEntry<"documents_erased">): Promise<boolean> {
    return this.decide(this.#next(move, "erasing", null, entry.at), entry);
  }

  /** Turns the row of the latest move, which may be from before the restore, into one of a move that ended here. */
  async restorePlacement(
    { instanceId, turn, was, engine, left }: RestoredPlacement,
    entry: AuditEntry<"documents_placement_restored">,
  ): Promise<boolean> {
    const placed = this.statement(
      "UPDATE instances SET documents = ?2, documents_turn = ?3 WHERE id = ?1 AND documents = ?4 AND documents_turn = ?5",
      [instanceId, engine, turn, was.engine, was.turn],
    );
    const ended = this.statement(
      `INSERT INTO document_moves (instance_id, turn, move, source, target, stage, requested_by, started_at, changed_at, total)
       SELECT ?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?7, 0 FROM instances WHERE id = ?1 AND documents_turn = ?2
       ON CONFLICT (instance_id) DO UPDATE SET turn = ?2, move = ?2, source = ?3, target = ?4, stage = ?5, requested_by = ?6,
         started_at = ?7, changed_at = ?7, total = 0, copied = 0, behind = NULL, counted = NULL, attempts = 0, problem = NULL`,
      [instanceId, turn, left ?? was.engine, engine, left ? "moved" : "erased", entry.actor, entry.at],
    );
    return this.decide(placed, entry, [ended]);
  }

  /** Changes only the turn, and only if no move has begun in the meantime. */
  async rewind({ instanceId, turn, was }: Rewinding, entry: AuditEntry<"documents_rewound">): Promise<boolean> {
    const statement = this.statement(
      `UPDATE instances SET documents_turn = ?2 WHERE id = ?1 AND documents = ?3 AND documents_turn = ?4 AND NOT EXISTS (
       SELECT 1 FROM document_moves WHERE instance_id = ?1 AND stage NOT IN ('moved', 'erased', 'returned'))`,
      [instanceId, turn, was.engine, was.turn],
    );
    return this.decide(statement, entry);
  }

  async advance(move: Move, stage: MoveStage, problem: string | null, now: number): Promise<boolean> {
    return (await runStatement(this.#next(move, stage, problem, now))) > 0;
  }

  /** Changes both the placement and the stage, or neither. */
  async switchOver(move: Move, entry: AuditEntry<"documents_moved">): Promise<boolean> {
    const results = await runBatch(this.database, [
      this.#next(move, "switched", null, entry.at),
      recordIfChanged(this.database, entry),
      this.statement(
        `UPDATE instances SET documents = ?3, documents_turn = ?2 WHERE id = ?1 AND EXISTS (
         SELECT 1 FROM document_moves WHERE ${IN_TURN} AND move = ?4 AND stage = 'switched')`,
        [move.instanceId, move.turn + 1, move.to, move.move],
      ),
    ]);
    return changesOf(results, 0) > 0;
  }

  async note(move: Move, { copied, behind, problem }: Pick<Move, "copied" | "behind" | "problem">): Promise<void> {
    await this.run(`UPDATE document_moves SET copied = ?3, behind = ?4, problem = ?5 WHERE ${IN_TURN}`, [
      move.instanceId,
      move.turn,
      copied,
      behind,
      problem,
    ]);
  }

  #next(move: Move, stage: MoveStage, problem: string | null, now: number): D1PreparedStatement {
    return this.statement(
      `UPDATE document_moves SET turn = turn + 1, stage = ?3, problem = ?4, changed_at = ?5, copied = ?6, counted = ?7,
         attempts = attempts + iif(?3 = 'copying', 1, 0)
       WHERE ${IN_TURN}`,
      [move.instanceId, move.turn, stage, problem, now, move.copied, move.counted],
    );
  }
}
