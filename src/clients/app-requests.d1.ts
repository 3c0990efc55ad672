import { AuditedStore } from "#audit/audited-store.sql.ts";

/** The most apps for which a person's requests are kept: more than anybody waits for. */
const REQUESTS_PER_PERSON = 20;

/** Requests of people that administrators approve an app, in D1. */
export class D1AppRequests extends AuditedStore {
  /** Stores a request and records it, unless the same stands already. A person's oldest ones make room. */
  async add(
    instanceId: number,
    { id, email }: { readonly id: string; readonly email: string },
    { app, clientId }: { readonly app: string; readonly clientId: string },
    reason: string,
    now: number,
  ): Promise<void> {
    const whose = "instance_id = ?1 AND person_id = ?2";
    await this.decide(
      this.statement(
        `INSERT INTO app_requests (instance_id, person_id, app, email, reason, asked_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT DO UPDATE SET email = excluded.email, reason = excluded.reason, asked_at = excluded.asked_at
         WHERE email <> excluded.email OR reason <> excluded.reason`,
        [instanceId, id, app, email, reason, now],
      ),
      { instanceId, at: now, actor: id, event: "app_requested", detail: { clientId } },
      [
        this.statement(
          `DELETE FROM app_requests WHERE ${whose} AND app NOT IN (
           SELECT app FROM app_requests WHERE ${whose} ORDER BY asked_at DESC LIMIT ${REQUESTS_PER_PERSON})`,
          [instanceId, id],
        ),
      ],
    );
  }

  /** Checks whether a person has asked for an app. */
  async has(instanceId: number, personId: string, app: string): Promise<boolean> {
    const asked = "SELECT 1 FROM app_requests WHERE instance_id = ?1 AND person_id = ?2 AND app = ?3";
    return (await this.first(asked, [instanceId, personId, app])) !== null;
  }
}
