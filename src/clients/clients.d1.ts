import type { TokenHash } from "#crypto/hash.ts";
import { allRows, firstRow, runBatch, runStatement } from "#platform/d1.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ClientReader } from "#authorization-server/authorization/authorize.ts";
import type { AuthenticationMethod, Client, ClientKind } from "./client.ts";
import type { ClientKeys } from "./client-keys.ts";
import { type ClientProof, proofOfKeys } from "./client-proof.ts";
import type { DocumentClientStore } from "./document-clients.ts";
import type { ClientRegistry, FoundClient } from "#authorization-server/registration/register-client.ts";
import type { NewClient } from "./new-client.ts";
import type { ListedClient, StaticClientStore } from "./static-clients.ts";

/** What every list and look-up reads of a client. */
export interface ClientRow {
  readonly id: string;
  readonly kind: ClientKind;
  readonly name: string;
  readonly client_uri: string | null;
  readonly redirect_uris: string;
  readonly scopes: string;
  readonly token_endpoint_auth_method: AuthenticationMethod;
  readonly is_public: number;
  readonly keys: string | null;
  readonly is_pending: number;
}

interface Row extends ClientRow {
  readonly created_at: number;
  readonly last_authorized_at: number | null;
  readonly disabled_at: number | null;
}

const COLUMNS = `id, kind, name, client_uri, redirect_uris, scopes, token_endpoint_auth_method, is_public, keys, is_pending,
  created_at, last_authorized_at, disabled_at`;

const INSERT = `INSERT INTO clients (id, instance_id, kind, name, client_uri, redirect_uris, scopes, token_endpoint_auth_method,
  is_public, keys, proof, registration_token_hash, fingerprint, is_pending, created_at, changed_at)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?15)`;

/** The statements that end all grants of a client, for the batch that removes it. */
type EndGrantsOfClient = (
  instanceId: number,
  clientId: string,
  actor: string,
  now: number,
) => readonly D1PreparedStatement[];

/** Clients of all kinds. Reading for authorization passes over disabled ones, so that to its rules they do not exist. */
export class D1ClientStore implements ClientReader, ClientRegistry, StaticClientStore, DocumentClientStore {
  readonly #database: D1Database;
  readonly #endGrants: EndGrantsOfClient;

  constructor(database: D1Database, endGrantsOfClient: EndGrantsOfClient) {
    this.#database = database;
    this.#endGrants = endGrantsOfClient;
  }

  async findEnabled(instanceId: number, clientId: string): Promise<Client | null> {
    const row = await firstRow<Row>(
      this.#database
        .prepare(`SELECT ${COLUMNS} FROM clients WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL`)
        .bind(clientId, instanceId),
    );
    return row && toClient(row);
  }

  async add(instanceId: number, client: NewClient): Promise<void> {
    await runStatement(this.#database.prepare(INSERT).bind(...columnsOf(instanceId, client)));
  }

  async addRepeatable(instanceId: number, client: NewClient, unusedMax: number): Promise<void> {
    await runBatch(this.#database, [
      this.#database.prepare(INSERT).bind(...columnsOf(instanceId, client)),
      this.#database
        .prepare(
          `DELETE FROM clients WHERE rowid IN (
             SELECT rowid FROM clients WHERE instance_id = ?1 AND fingerprint = ?2 AND last_authorized_at IS NULL
               AND disabled_at IS NULL AND is_pending = 0 ORDER BY rowid DESC LIMIT -1 OFFSET ?3)`,
        )
        .bind(instanceId, client.fingerprint, unusedMax),
    ]);
  }

  async findManaged(instanceId: number, clientId: string, tokenHash: TokenHash): Promise<FoundClient | null> {
    const row = await firstRow<Row>(
      this.#database
        .prepare(
          `SELECT ${COLUMNS} FROM clients
           WHERE id = ?1 AND instance_id = ?2 AND registration_token_hash = ?3 AND kind = 'dynamic'`,
        )
        .bind(clientId, instanceId, tokenHash),
    );
    return row && toFound(row);
  }

  /** A change always reads as later than the creation, also within the same second: the policy snapshot looks for it. */
  async replace(instanceId: number, client: Client, changedAt: number): Promise<void> {
    await runStatement(
      this.#database
        .prepare(
          `UPDATE clients SET name = ?3, client_uri = ?4, redirect_uris = ?5, scopes = ?6, is_pending = ?7,
             token_endpoint_auth_method = ?8, changed_at = MAX(?9, created_at + 1), keys = ?10, proof = COALESCE(?11, proof)
           WHERE id = ?1 AND instance_id = ?2`,
        )
        .bind(
          client.id,
          instanceId,
          client.name,
          client.clientUri,
          JSON.stringify(client.redirectUris),
          JSON.stringify(client.scopes),
          client.isPending ? 1 : 0,
          client.tokenEndpointAuthMethod,
          changedAt,
          client.keys && JSON.stringify(client.keys),
          client.keys && (await proofOfKeys(client.keys)),
        ),
    );
  }

  async remove(instanceId: number, clientId: string, actor: string, now: number): Promise<void> {
    await runBatch(this.#database, [
      ...this.#endGrants(instanceId, clientId, actor, now),
      this.#database.prepare("DELETE FROM clients WHERE id = ?1 AND instance_id = ?2").bind(clientId, instanceId),
    ]);
  }

  async writeSecret(instanceId: number, clientId: string, proof: ClientProof, changedAt: number): Promise<void> {
    await runStatement(
      this.#database
        .prepare("UPDATE clients SET proof = ?3, changed_at = ?4 WHERE id = ?1 AND instance_id = ?2")
        .bind(clientId, instanceId, proof, changedAt),
    );
  }

  async approve(instanceId: number, clientId: string, changedAt: number): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare(
          `UPDATE clients SET is_pending = 0, fingerprint = NULL, kept_at = ?3, changed_at = MAX(?3, created_at + 1)
           WHERE id = ?1 AND instance_id = ?2 AND is_pending = 1 AND disabled_at IS NULL`,
        )
        .bind(clientId, instanceId, changedAt),
    );
    return changed > 0;
  }

  async disable(instanceId: number, clientId: string, now: number): Promise<boolean> {
    const changed = await runStatement(
      this.#database
        .prepare(
          `UPDATE clients SET disabled_at = ?3, changed_at = MAX(?3, created_at + 1)
           WHERE id = ?1 AND instance_id = ?2 AND disabled_at IS NULL`,
        )
        .bind(clientId, instanceId, now),
    );
    return changed > 0;
  }

  async list(instanceId: number): Promise<ListedClient[]> {
    const rows = await allRows<Row>(
      this.#database
        .prepare(`SELECT ${COLUMNS} FROM clients WHERE instance_id = ?1 ORDER BY created_at`)
        .bind(instanceId),
    );
    return rows.map((row) => ({ ...toFound(row), lastAuthorizedAt: row.last_authorized_at }));
  }

  /** Keeps what a document says; a row that an administrator disabled stays disabled. */
  async keepDocument(instanceId: number, client: Client, now: number): Promise<Client | null> {
    const row = await firstRow<Row>(
      this.#database
        .prepare(
          `${INSERT}
           ON CONFLICT (id, instance_id) DO UPDATE SET name = excluded.name, client_uri = excluded.client_uri,
             redirect_uris = excluded.redirect_uris, scopes = excluded.scopes,
             token_endpoint_auth_method = excluded.token_endpoint_auth_method, is_public = excluded.is_public,
             keys = excluded.keys, proof = excluded.proof
           RETURNING ${COLUMNS}`,
        )
        .bind(
          ...columnsOf(instanceId, {
            ...client,
            proof: client.keys && (await proofOfKeys(client.keys)),
            registrationTokenHash: null,
            fingerprint: null,
            createdAt: now,
          }),
        ),
    );
    return row === null || row.disabled_at !== null ? null : toClient(row);
  }

  /** Deletes clients that no administrator made or approved, and that nobody has ever allowed; how many. */
  async sweep(createdBefore: number): Promise<number> {
    return runStatement(
      this.#database
        .prepare(
          `DELETE FROM clients WHERE kind <> 'static' AND last_authorized_at IS NULL AND disabled_at IS NULL
             AND kept_at IS NULL AND created_at < ?1`,
        )
        .bind(createdBefore),
    );
  }
}

function columnsOf(instanceId: number, client: NewClient) {
  return [
    client.id,
    instanceId,
    client.kind,
    client.name,
    client.clientUri,
    JSON.stringify(client.redirectUris),
    JSON.stringify(client.scopes),
    client.tokenEndpointAuthMethod,
    client.isPublic ? 1 : 0,
    client.keys && JSON.stringify(client.keys),
    client.proof,
    client.registrationTokenHash,
    client.fingerprint,
    client.isPending ? 1 : 0,
    client.createdAt,
  ] as const;
}

export function toClient(row: ClientRow): Client {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    clientUri: row.client_uri,
    redirectUris: JSON.parse(row.redirect_uris) as string[],
    scopes: JSON.parse(row.scopes) as Scope[],
    tokenEndpointAuthMethod: row.token_endpoint_auth_method,
    isPublic: row.is_public === 1,
    keys: row.keys === null ? null : (JSON.parse(row.keys) as ClientKeys),
    isPending: row.is_pending === 1,
  };
}

function toFound(row: Row): FoundClient {
  return {
    ...toClient(row),
    createdAt: row.created_at,
    isDisabled: row.disabled_at !== null,
  };
}
