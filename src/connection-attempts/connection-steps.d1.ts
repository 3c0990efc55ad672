import { D1Store, deletionOf, runBatch } from "#platform/d1.ts";
import type { ConnectionStep } from "./connection-step.ts";

/** How many steps are kept of each kind: those of signed-in people, and those that anybody can cause. */
const STEPS_KEPT = 500;

/** How many of each kind are kept of one network, such as a scanner's or a hosted app's: at most a fifth. */
const STEPS_OF_NETWORK_KEPT = 100;

/** Stores the latest steps: beyond the limits, each new one displaces the oldest. */
export class D1ConnectionSteps extends D1Store {
  /**
   * Stores a step, and deletes the oldest ones beyond the limits of its instance and its network.
   *
   * @param isOfPerson whether a signed-in person took it: steps that anybody can cause never displace these
   */
  async add(instanceId: number, step: ConnectionStep, isOfPerson: boolean): Promise<void> {
    const kind = isOfPerson ? 1 : 0;
    const trim = (kept: number, condition = "", ...subject: readonly string[]) =>
      this.statement(
        `DELETE FROM connection_steps WHERE instance_id = ?1 AND is_of_person = ?2 ${condition} AND id <=
         (SELECT id FROM connection_steps WHERE instance_id = ?1 AND is_of_person = ?2 ${condition} ORDER BY id DESC LIMIT 1 OFFSET ${kept})`,
        [instanceId, kind, ...subject],
      );
    await runBatch(this.database, [
      this.statement(
        `INSERT INTO connection_steps (instance_id, at, request_id, step, reason, message, client_id, grant_id, network, is_of_person)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
        [
          instanceId,
          step.at,
          step.requestId,
          step.step,
          step.reason,
          step.message,
          step.clientId,
          step.grantId,
          step.network,
          kind,
        ],
      ),
      trim(STEPS_KEPT),
      ...(step.network === null ? [] : [trim(STEPS_OF_NETWORK_KEPT, "AND network = ?3", step.network)]),
    ]);
  }

  /** Returns all stored steps, oldest first. */
  async read(instanceId: number): Promise<ConnectionStep[]> {
    return this.all(
      `SELECT at, request_id AS requestId, step, reason, message, client_id AS clientId, grant_id AS grantId, network
       FROM connection_steps WHERE instance_id = ?1 ORDER BY id`,
      [instanceId],
    );
  }

  /** Deletes at most `rowsMax` steps from before this time. @returns how many */
  sweep(before: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("connection_steps", "id", "at < ?1");
    return this.run(statement, [before, rowsMax]);
  }
}
