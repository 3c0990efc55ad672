import { AuditedStore } from "#audit/audited-store.sql.ts";
import type { AuditEntry } from "#audit/audit.ts";
import { type ClientRow, COVERED_CLIENT_COLUMNS, joinEnabledClient, toClient } from "#clients/client-rows.sql.ts";
import type { TokenHash } from "#crypto/secrets.ts";
import { deletionOf } from "#platform/d1.ts";
import { END_AT_CONSENT } from "./ending.sql.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import { type NewRequest, type PendingKey, type RequestAtConsent, REQUESTS_PER_CALLER } from "./pending-requests.ts";

/** Authorization requests in D1. Each is one row, whose stage only moves forward: each step is one conditional statement. */
export class D1PendingRequests extends AuditedStore {
  /**
   * Stores a pushed request, for any browser that sends its reference.
   *
   * @returns `false` if this caller has too many pending requests
   */
  push(pushed: NewRequest, now: number): Promise<boolean> {
    return this.#add("pushed", { ...pushed, browserHash: "" }, now);
  }

  /** Takes a request that this client pushed at this issuer. It works once, because check and claim are one statement. */
  async claimPushed(
    key: Pick<NewRequest, "handleHash" | "instanceId"> & { readonly clientId: string; readonly issuer: string },
    now: number,
  ) {
    return this.first(
      `DELETE FROM authorization_requests
       WHERE handle_hash = ?1 AND instance_id = ?2 AND client_id = ?3 AND stage = 'pushed' AND expires_at > ?4
         AND request ->> '$.issuer' = ?5
       RETURNING request`,
      [key.handleHash, key.instanceId, key.clientId, now, key.issuer],
      requestOf,
    );
  }

  /** Stores a request whose person signs in now. @returns `false` if this caller has too many pending requests */
  begin(pending: NewRequest & { readonly browserHash: TokenHash }, now: number): Promise<boolean> {
    return this.#add("sign-in", pending, now);
  }

  /** Repeatable: nobody else has the handle, so a row with it is the one that was added before the result was lost. */
  async #add(
    stage: "pushed" | "sign-in",
    pending: NewRequest & { readonly browserHash: string },
    now: number,
  ): Promise<boolean> {
    const added = await this.run(
      `INSERT INTO authorization_requests (handle_hash, instance_id, stage, browser_hash, client_id, request, expires_at, caller)
       SELECT ?1, ?2, ?10, ?3, ?4, ?5, ?6, ?7
       WHERE ?7 IS NULL OR (SELECT count(*) FROM (SELECT 1 FROM authorization_requests
         WHERE caller = ?7 AND instance_id = ?2 AND expires_at > ?8 LIMIT ?9)) < ?9
       ON CONFLICT (handle_hash) DO UPDATE SET expires_at = excluded.expires_at`,
      [
        pending.handleHash,
        pending.instanceId,
        pending.browserHash,
        pending.request.clientId,
        JSON.stringify(pending.request),
        pending.expiresAt,
        pending.caller ?? null,
        now,
        REQUESTS_PER_CALLER,
        stage,
      ],
      "repeatable",
    );
    return added > 0;
  }

  /**
   * Notes at which SSO the person of a request signs in. This works once, and the request gets another handle: each `state` belongs to
   * one SSO.
   */
  async choose(key: PendingKey, next: TokenHash, ssoIssuer: string, now: number): Promise<AuthorizationRequest | null> {
    return this.first(
      `UPDATE authorization_requests SET handle_hash = ?5, request = json_set(request, '$.ssoIssuer', ?6)
       WHERE handle_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND stage = 'sign-in' AND expires_at > ?4
         AND request ->> '$.ssoIssuer' IS NULL
       RETURNING request`,
      [key.handleHash, key.instanceId, key.browserHash, now, next, ssoIssuer],
      requestOf,
    );
  }

  /** Takes a request whose browser returns from the SSO. It works once, because check and claim are one statement. */
  async claimReturn(key: PendingKey, now: number): Promise<AuthorizationRequest | null> {
    return this.first(
      `UPDATE authorization_requests SET stage = 'returned'
       WHERE handle_hash = ?1 AND instance_id = ?2 AND browser_hash = ?3 AND stage = 'sign-in' AND expires_at > ?4
       RETURNING request`,
      [key.handleHash, key.instanceId, key.browserHash, now],
      requestOf,
    );
  }

  /** Reads a request; `null` if there is none, its client is disabled, or its person is deactivated. */
  async readAtConsent(key: PendingKey, now: number): Promise<RequestAtConsent | null> {
    type Row = ClientRow & { request: string; personId: string; personName: string; email: string };
    return this.first(
      `SELECT r.request, r.person_id AS personId, p.name AS personName, p.email, ${COVERED_CLIENT_COLUMNS}
       FROM authorization_requests r JOIN people p ON p.id = r.person_id ${joinEnabledClient("r")}
       WHERE r.handle_hash = ?1 AND r.instance_id = ?2 AND r.browser_hash = ?3 AND r.stage = 'consent'
         AND r.expires_at > ?4 AND p.deactivated_at IS NULL`,
      [key.handleHash, key.instanceId, key.browserHash, now],
      ({ request, personId, personName, email, ...client }: Row) => ({
        request: JSON.parse(request) as AuthorizationRequest,
        person: { id: personId, name: personName, email },
        client: toClient(client),
      }),
    );
  }

  /** Ends a request without a grant. Returns whether there was one. */
  close(key: PendingKey, now: number, entry: AuditEntry<"app_denied">): Promise<boolean> {
    const closing = this.statement(END_AT_CONSENT, [key.handleHash, key.instanceId, key.browserHash, now]);
    return this.decide(closing, entry);
  }

  /** Deletes expired requests, up to a limit. Returns how many. */
  sweep(now: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("authorization_requests", "handle_hash", "expires_at <= ?1");
    return this.run(statement, [now, rowsMax]);
  }
}

function requestOf({ request }: { readonly request: string }): AuthorizationRequest {
  return JSON.parse(request) as AuthorizationRequest;
}
