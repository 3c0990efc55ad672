import { D1Store } from "#platform/d1.ts";

/** What an instance's administrators were told, as it is stored. */
export interface ToldState {
  readonly receiver: string;
  /** How much of each kind stood at the last check: only more than that is told. */
  readonly levels: Readonly<Record<string, number>>;
  /** The entry of the audit from which its check continues. */
  readonly auditAfter: number;
  readonly checkedAt: number;
}

type Row = Omit<ToldState, "levels"> & { readonly instanceId: number; readonly levels: string };

export class D1Alerts extends D1Store {
  /** Returns the state of each instance that has one, by its id. */
  async states(): Promise<ReadonlyMap<number, ToldState>> {
    const rows = await this.all<Row>(
      `SELECT instance_id AS instanceId, receiver, levels, audit_after AS auditAfter, checked_at AS checkedAt FROM alerts`,
    );
    return new Map(
      rows.map(({ instanceId, levels, ...row }) => [
        instanceId,
        { ...row, levels: JSON.parse(levels) as ToldState["levels"] },
      ]),
    );
  }

  async write(instanceId: number, { receiver, levels, auditAfter, checkedAt }: ToldState): Promise<void> {
    await this.run(
      `INSERT INTO alerts (instance_id, receiver, levels, audit_after, checked_at) VALUES (?1, ?2, ?3, ?4, ?5)
       ON CONFLICT DO UPDATE SET receiver = ?2, levels = ?3, audit_after = ?4, checked_at = ?5`,
      [instanceId, receiver, JSON.stringify(levels), auditAfter, checkedAt],
    );
  }
}
