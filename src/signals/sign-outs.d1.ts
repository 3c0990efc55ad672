import { AuditedStore, record } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { endGrantsOfSsoSession, signedInUntil } from "#grants/ending.sql.ts";
import { endSignInsOf } from "#people/endings.sql.ts";
import { NOTE_SIGN_OUT } from "#spent-ids/sign-outs.sql.ts";
import { runBatch } from "#platform/d1.ts";

/**
 * How long a session's sign-out is remembered: longer than any request that uses the SSO's response to give access, because such a
 * request checks for sign-outs.
 */
const SIGN_IN_SECONDS_MAX = 600;

/**
 * What signals end. The audit entry is the first statement of its batch: every signal is recorded, even if there was nothing to end.
 */
export class D1SignOuts extends AuditedStore {
  /** Ends the person's grants, sessions, service-issued tokens and requests under way, and refuses external tokens from before. */
  async signOutPerson(
    personId: string,
    time: { readonly atMilliseconds: number; readonly until: number | undefined },
    entry: AuditEntry<"signal_received">,
  ): Promise<void> {
    const { instanceId, actor, at } = entry;
    const reason = "signed_out";
    await runBatch(this.database, [
      record(this.database, entry),
      ...endSignInsOf(this.database, { instanceId, personId, reason, actor, at, ...time }),
    ]);
  }

  /**
   * Ends the sessions and grants that were opened in a session at the SSO, and the requests that are under way in it.
   *
   * @param session names the person, if the signal does: two people may share a browser, and so a session
   */
  async endSsoSession(
    session: {
      readonly ssoSession: string;
      readonly personId: string | undefined;
      readonly withOffline: boolean;
      readonly until: number | undefined;
    },
    entry: AuditEntry<"signal_received">,
  ): Promise<void> {
    const { instanceId, actor, at } = entry;
    const { ssoSession, personId, until } = session;
    const remove = (table: string) =>
      this.statement(
        `DELETE FROM ${table} WHERE instance_id = ?1 AND sso_session = ?2 AND person_id = coalesce(?3, person_id)
           AND ${signedInUntil(until)}`,
        [instanceId, ssoSession, personId ?? null],
      );
    await runBatch(this.database, [
      record(this.database, entry),
      ...endGrantsOfSsoSession(this.database, { ...session, instanceId, actor, at }),
      this.statement(NOTE_SIGN_OUT, [instanceId, ssoSession, at + SIGN_IN_SECONDS_MAX]),
      remove("sessions"),
      remove("authorization_requests"),
    ]);
  }

  /** Checks whether a person has a session or grant that was opened in a session at the SSO. */
  async knowsSsoSession(instanceId: number, ssoSession: string, personId: string): Promise<boolean> {
    const row = await this.first(
      `SELECT 1 FROM sessions WHERE instance_id = ?1 AND sso_session = ?2 AND person_id = ?3
       UNION ALL SELECT 1 FROM grants WHERE instance_id = ?1 AND sso_session = ?2 AND person_id = ?3 LIMIT 1`,
      [instanceId, ssoSession, personId],
    );
    return row !== null;
  }

  async record(entry: AuditEntry<"signal_received">): Promise<void> {
    await runBatch(this.database, [record(this.database, entry)]);
  }
}
