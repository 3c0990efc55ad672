import { firstRow } from "#platform/d1.ts";
import type { Client } from "./client.ts";
import { proofOf } from "./client-proof.ts";
import type { ClientReader } from "./client-reader.ts";
import { CLIENT_COLUMNS, type ClientRow, INSERT_CLIENT, toClient, valuesOf } from "./client-rows.sql.ts";
import type { DescribedClient, DocumentClientStore } from "./document-clients.ts";

/** Clients as authorization finds them, and as documents describe them. */
export class D1Clients implements ClientReader, DocumentClientStore {
  readonly #database: D1Database;

  constructor(database: D1Database) {
    this.#database = database;
  }

  async findEnabled(instanceId: number, clientId: string): Promise<Client | null> {
    const row = await firstRow<ClientRow>(
      this.#database
        .prepare(`SELECT ${CLIENT_COLUMNS} FROM clients WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL`)
        .bind(clientId, instanceId),
    );
    return row && toClient(row);
  }

  /** A row that an administrator disabled stays disabled. */
  async keepDocument(instanceId: number, client: DescribedClient, now: number): Promise<Client | null> {
    const described = {
      ...client,
      requirements: [],
      isPending: false,
      proof: await proofOf(client.keys, undefined),
      registrationTokenHash: null,
      caller: null,
      createdAt: now,
    };
    const row = await firstRow<ClientRow>(
      this.#database
        .prepare(
          `${INSERT_CLIENT} WHERE TRUE
           ON CONFLICT (id, instance_id) DO UPDATE SET name = excluded.name, client_uri = excluded.client_uri,
             policy_uri = excluded.policy_uri, tos_uri = excluded.tos_uri,
             redirect_uris = excluded.redirect_uris, scopes = excluded.scopes,
             token_endpoint_auth_method = excluded.token_endpoint_auth_method, is_public = excluded.is_public,
             declared_requirements = excluded.declared_requirements, keys = excluded.keys, proof = excluded.proof
           RETURNING ${CLIENT_COLUMNS}`,
        )
        .bind(...valuesOf(instanceId, described)),
    );
    return row === null || row.disabled_at !== null ? null : toClient(row);
  }
}
