import { readerOf } from "#platform/columns.sql.ts";
import { D1Store, firstRow, rowsOf, runBatch } from "#platform/d1.ts";
import { type Client, type ClientDescription, proofOf } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";
import {
  CLIENT_COLUMNS,
  type ClientRow,
  COVERED_CLIENT_COLUMNS,
  FORGETTABLE,
  INSERT_CLIENT,
  toClient,
  UNUSED,
  valuesOf,
} from "./client-rows.sql.ts";

/** Who vouches for a client: an administrator who created or approved it, people who allowed it, or nobody yet. */
export type Voucher = "administrator" | "people" | "nobody";

/** The keys that verify a client's assertions, and who vouches for it. */
interface VouchedKeys {
  readonly keys: ClientKeys;
  readonly vouchedForBy: Voucher;
}

/** A client as its document describes it. */
export interface DescribedClient extends ClientDescription {
  readonly id: string;
  readonly kind: "document";
  /** Whether it waits for an administrator, if it is new or has changed. */
  readonly isPending: boolean;
}

/** A client of a document, as it is stored. */
export interface KeptClient {
  /** `null` if an administrator disabled it. */
  readonly client: Client | null;
  /** Whether nobody has allowed it and no administrator has decided about it. */
  readonly isUnused: boolean;
}

/**
 * The most clients of documents at one instance that nobody has used. One host may publish any number of documents, and each that
 * a request names is stored. To make room, the oldest ones without a pending request are deleted; their next request reads the
 * document again.
 */
export const UNUSED_DOCUMENTS_PER_INSTANCE = 2000;

type KeptRow = ClientRow & { readonly isUnused: number };

/** The condition that a document says what its client's row says, as far as administrators approve it. */
const UNCHANGED = ["name", "client_uri", "policy_uri", "tos_uri", "redirect_uris", "declared_requirements"]
  .map((column) => `clients.${column} IS excluded.${column}`)
  .join(" AND ");

/** Clients in D1, as authorization finds them and as documents describe them. */
export class D1Clients extends D1Store {
  async findEnabled(instanceId: number, clientId: string): Promise<Client | null> {
    return this.first(
      `SELECT ${COVERED_CLIENT_COLUMNS} FROM clients c WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL`,
      [clientId, instanceId],
      toClient,
    );
  }

  /** Finds the keys of an enabled client that authenticates by signed assertions. */
  findKeys(instanceId: number, clientId: string): Promise<VouchedKeys | null> {
    return this.first(
      `SELECT keys, CASE WHEN kind = 'static' OR kept_at IS NOT NULL OR EXISTS (SELECT 1 FROM service_accounts s
           WHERE s.instance_id = clients.instance_id AND s.workload ->> '$.client' = clients.id) THEN 'administrator'
         WHEN last_authorized_at IS NOT NULL THEN 'people' ELSE 'nobody' END AS vouchedForBy
       FROM clients WHERE id = ?1 AND instance_id = ?2 AND keys IS NOT NULL AND disabled_at IS NULL`,
      [clientId, instanceId],
      readerOf<VouchedKeys>()(["keys"]),
    );
  }

  /**
   * Stores the client's row as the document describes it. An approval is void once the document differs from what the administrator
   * saw: its name, its pages, its redirect URIs, and what it declares. Returns `full` if there is no room for a new one because requests
   * are pending for {@link UNUSED_DOCUMENTS_PER_INSTANCE} others.
   *
   * A row that an administrator disabled stays disabled. Room is made only if a new row finds none.
   */
  async keepDocument(instanceId: number, client: DescribedClient, now: number): Promise<KeptClient | "full"> {
    const described = {
      ...client,
      app: client.id,
      variant: null,
      requirements: [],
      mayExchangeTokens: false,
      proof: await proofOf(client.keys, undefined),
      registrationTokenHash: null,
      caller: null,
      createdAt: now,
    };
    const keeping = this.statement(
      `${INSERT_CLIENT} WHERE EXISTS (SELECT 1 FROM clients WHERE id = ?1 AND instance_id = ?2)
         OR (SELECT count(*) FROM ${unusedDocuments("?2")}) < ?23
       ON CONFLICT (id, instance_id) DO UPDATE SET name = excluded.name, client_uri = excluded.client_uri,
         policy_uri = excluded.policy_uri, tos_uri = excluded.tos_uri,
         redirect_uris = excluded.redirect_uris, scopes = excluded.scopes,
         token_endpoint_auth_method = excluded.token_endpoint_auth_method, is_public = excluded.is_public,
         declared_requirements = excluded.declared_requirements, keys = excluded.keys, proof = excluded.proof,
         is_pending = CASE WHEN ${UNCHANGED} THEN clients.is_pending ELSE max(clients.is_pending, excluded.is_pending) END,
         kept_at = CASE WHEN ${UNCHANGED} THEN kept_at END,
         changed_at = CASE WHEN ${UNCHANGED} THEN clients.changed_at ELSE max(excluded.changed_at, clients.changed_at + 1) END
       RETURNING ${CLIENT_COLUMNS}, (${UNUSED}) AS isUnused`,
      [...valuesOf(instanceId, described), UNUSED_DOCUMENTS_PER_INSTANCE],
    );
    const row =
      (await firstRow<KeptRow>(keeping)) ??
      rowsOf<KeptRow>(await runBatch(this.database, [this.#makeRoomForDocument(instanceId), keeping]), 1)[0];
    if (row === undefined) return "full";
    const { isUnused, ...stored } = row;
    return { client: row.disabledAt === null ? toClient(stored) : null, isUnused: isUnused === 1 };
  }

  #makeRoomForDocument(instanceId: number): D1PreparedStatement {
    return this.statement(
      `DELETE FROM clients WHERE rowid IN (
       SELECT rowid FROM ${unusedDocuments("?1")} c WHERE ${FORGETTABLE} AND NOT EXISTS (
         SELECT 1 FROM authorization_requests r WHERE r.client_id = c.id AND r.instance_id = ?1)
       ORDER BY created_at LIMIT max(0, 1 + (SELECT count(*) FROM ${unusedDocuments("?1")}) - ?2))`,
      [instanceId, UNUSED_DOCUMENTS_PER_INSTANCE],
    );
  }
}

/**
 * Returns a table of the unused clients of documents. They have no caller, which lets an index find them.
 *
 * @param instance a parameter of the statement
 */
function unusedDocuments(instance: string): string {
  return `(SELECT rowid, id, kind, requirements, created_at FROM clients
    WHERE instance_id = ${instance} AND caller IS NULL AND ${UNUSED} AND kind = 'document')`;
}
