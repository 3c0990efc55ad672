import { D1Store, deletionOf, runBatch } from "#platform/d1.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

export interface Count {
  readonly instanceId: number;
  /** Days since 1970, in UTC. */
  readonly day: number;
  readonly kind: CountedKind;
  readonly name: string;
  readonly count: number;
}

/** `token`: tokens issued, by grant type. `refusal`: requests refused, by the reason that is also in the log. */
export type CountedKind = "token" | "refusal";

/** A request that failed through no fault of its sender. */
export interface Failure {
  readonly at: number;
  readonly requestId: string;
  readonly path: string;
  readonly reason: RefusalReason;
}

/** Enough failures for a page, and to find out what they have in common. */
const FAILURES_KEPT = 50;

export class D1Usage extends D1Store {
  async add(counts: readonly Count[]): Promise<void> {
    await this.run(
      `INSERT INTO usage_counts (instance_id, day, kind, name, count)
       SELECT value ->> 'instanceId', value ->> 'day', value ->> 'kind', value ->> 'name', value ->> 'count'
       FROM json_each(?1) WHERE true
       ON CONFLICT DO UPDATE SET count = count + excluded.count`,
      [JSON.stringify(counts)],
    );
  }

  /** Returns the counts since a day, including that day. */
  counts(instanceId: number, sinceDay: number): Promise<Count[]> {
    return this.all(
      "SELECT instance_id AS instanceId, day, kind, name, count FROM usage_counts WHERE instance_id = ?1 AND day >= ?2",
      [instanceId, sinceDay],
    );
  }

  /** Stores a failure, and deletes the oldest ones beyond the limit. */
  async keepFailure(instanceId: number, failure: Failure): Promise<void> {
    await runBatch(this.database, [
      this.statement("INSERT INTO failures (instance_id, at, request_id, path, reason) VALUES (?1, ?2, ?3, ?4, ?5)", [
        instanceId,
        failure.at,
        failure.requestId,
        failure.path,
        failure.reason,
      ]),
      this.statement(
        `DELETE FROM failures WHERE instance_id = ?1 AND id NOT IN
         (SELECT id FROM failures WHERE instance_id = ?1 ORDER BY id DESC LIMIT ${FAILURES_KEPT})`,
        [instanceId],
      ),
    ]);
  }

  failures(instanceId: number): Promise<Failure[]> {
    const columns = "at, request_id AS requestId, path, reason";
    return this.all(`SELECT ${columns} FROM failures WHERE instance_id = ?1 ORDER BY id DESC`, [instanceId]);
  }

  /** Deletes at most `rowsMax` counts from before a day. @returns how many */
  sweep(beforeDay: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("usage_counts", "instance_id, day, kind, name", "day < ?1");
    return this.run(statement, [beforeDay, rowsMax]);
  }
}
