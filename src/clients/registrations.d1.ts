import type { TokenHash } from "#crypto/secrets.ts";
import { changesOf, D1Store, deletionOf, runBatch } from "#platform/d1.ts";
import { type Client, type NewClient, proofOfKeys } from "./client.ts";
import {
  COVERED_CLIENT_COLUMNS,
  FORGETTABLE,
  INSERT_CLIENT,
  INSERTED,
  laterThanBefore,
  toClient,
  UNUSED,
  valuesOf,
} from "./client-rows.sql.ts";
import type { EndGrantsOfClients } from "./client-removal.sql.ts";
import { isWelcome, requirementsOfApp } from "./installs.sql.ts";
import type { AppIdentity } from "./app-identity.ts";
import {
  type RegistrationChange,
  UNDISTURBED_SECONDS,
  UNUSED_PER_CALLER,
  UNUSED_PER_INSTANCE,
} from "./registrations.ts";

/** The condition for clients that people have allowed and that no administrator has created or decided about, spelled as in the index. */
const ALLOWED = "last_authorized_at IS NOT NULL AND disabled_at IS NULL AND kept_at IS NULL AND kind <> 'static'";

/** Clients that registered themselves. */
export class D1Registrations extends D1Store {
  readonly #endGrants: EndGrantsOfClients;

  constructor(database: D1Database, endGrantsOfClients: EndGrantsOfClients) {
    super(database);
    this.#endGrants = endGrantsOfClients;
  }

  /**
   * Adds a client, unless its caller or the instance has too many that nobody has used. To make room, the oldest of those are
   * deleted that are older than {@link UNDISTURBED_SECONDS}, do not wait for an administrator, and have no pending sign-in.
   *
   * The INSERT itself counts, so if several registrations race for the last place, only one gets it; and it checks that administrators
   * didn't disable the app.
   */
  async add(instanceId: number, client: NewClient): Promise<"added" | "full" | "unwelcome"> {
    const results = await runBatch(this.database, [
      this.#makeRoom(instanceId, client.createdAt, "caller = ?4", UNUSED_PER_CALLER, client.caller),
      this.#makeRoom(instanceId, client.createdAt, "?4 IS NULL", UNUSED_PER_INSTANCE, null),
      this.statement(
        `${INSERT_CLIENT}
         WHERE (SELECT count(*) FROM clients WHERE instance_id = ?2 AND caller = ?13 AND ${UNUSED}) < ?23
           AND (SELECT count(*) FROM clients WHERE instance_id = ?2 AND ${UNUSED}) < ?24 AND ${isWelcome(INSERTED)}`,
        [...valuesOf(instanceId, client), UNUSED_PER_CALLER, UNUSED_PER_INSTANCE],
      ),
    ]);
    if (changesOf(results, 2) > 0) return "added";
    return (await this.isWelcome(instanceId, client)) ? "full" : "unwelcome";
  }

  /** Checks whether a client may become an install of its app: administrators may have disabled it. */
  async isWelcome(
    instanceId: number,
    { app, variant, scopes }: AppIdentity & Pick<Client, "scopes">,
  ): Promise<boolean> {
    const condition = isWelcome({ instanceId: "?1", app: "?2", variant: "?3", scopes: "?4" });
    const row = await this.first<{ is_welcome: number }>(`SELECT ${condition} AS is_welcome`, [
      instanceId,
      app,
      variant,
      JSON.stringify(scopes),
    ]);
    return row?.is_welcome === 1;
  }

  /** Deletes the oldest unused registrations that leave no place for a new one. */
  #makeRoom(instanceId: number, now: number, whose: string, unusedMax: number, caller: string | null) {
    return this.statement(
      `DELETE FROM clients WHERE rowid IN (
         SELECT rowid FROM clients WHERE instance_id = ?1 AND ${whose} AND ${UNUSED}
         ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?2)
       AND created_at <= ?3 AND is_pending = 0 AND ${FORGETTABLE} AND NOT EXISTS (
         SELECT 1 FROM authorization_requests r WHERE r.client_id = clients.id AND r.instance_id = ?1)`,
      [instanceId, unusedMax - 1, now - UNDISTURBED_SECONDS, caller],
    );
  }

  /** Finds the client that a registration token manages, disabled or not. */
  async findManaged(instanceId: number, clientId: string, tokenHash: TokenHash): Promise<Client | null> {
    return this.first(
      `SELECT ${COVERED_CLIENT_COLUMNS} FROM clients c
       WHERE id = ?1 AND instance_id = ?2 AND registration_token_hash = ?3 AND kind = 'dynamic'`,
      [clientId, instanceId, tokenHash],
      toClient,
    );
  }

  /**
   * Replaces what a client registered, unless it is disabled or has changed since it was read, because an administrator may have decided
   * about it in between; unless it becomes an install of an app that administrators disabled; and unless it becomes an install of
   * another app after somebody allowed it, because what administrators decided about the app would no longer apply. It waits if it
   * waited before, even if an approval covered it then: it may be another app now.
   *
   * @returns whether it was replaced
   */
  async replace(instanceId: number, client: Client, change: RegistrationChange, now: number): Promise<boolean> {
    const { keys } = change;
    const changed = await this.run(
      `UPDATE clients SET name = ?5, client_uri = ?6, policy_uri = ?14, tos_uri = ?15, redirect_uris = ?7, scopes = ?8,
         is_pending = CASE WHEN ?9 THEN max(is_pending, NOT ?17) ELSE 0 END, app = ?18, variant = ?19,
         requirements = coalesce(${requirementsOfApp("?2", "?18")}, requirements),
         token_endpoint_auth_method = ?10, keys = ?11, proof = COALESCE(?12, proof),
         declared_requirements = ?16, kept_at = CASE WHEN ?13 = 1 THEN kept_at END, ${laterThanBefore("?3")}
       WHERE id = ?1 AND instance_id = ?2 AND changed_at = ?4 AND disabled_at IS NULL
         AND (app = ?18 OR last_authorized_at IS NULL) AND ${isWelcome({ instanceId: "?2", app: "?18", variant: "?19", scopes: "?8" })}`,
      [
        client.id,
        instanceId,
        now,
        client.changedAt,
        change.name,
        change.clientUri,
        JSON.stringify(change.redirectUris),
        JSON.stringify(change.scopes),
        change.isPending ? 1 : 0,
        change.tokenEndpointAuthMethod,
        keys && JSON.stringify(keys),
        keys && (await proofOfKeys(keys)),
        change.keepsApproval ? 1 : 0,
        change.policyUri,
        change.tosUri,
        JSON.stringify(change.declaredRequirements),
        change.isSeen ? 1 : 0,
        change.app,
        change.variant,
      ],
    );
    return changed > 0;
  }

  /** Checks whether somebody allowed a client as an install of another app. */
  async isOtherApp(instanceId: number, clientId: string, app: string): Promise<boolean> {
    const other =
      "SELECT 1 FROM clients WHERE id = ?1 AND instance_id = ?2 AND app <> ?3 AND last_authorized_at IS NOT NULL";
    return (await this.first(other, [clientId, instanceId, app])) !== null;
  }

  /** Deletes a client and ends its grants. */
  async remove(instanceId: number, clientId: string, actor: string, now: number): Promise<void> {
    const itself = { sql: (first: number) => `?${first}`, values: [clientId] };
    await runBatch(this.database, [
      ...this.#endGrants("own", itself, { instanceId, clientId, actor, at: now }),
      this.statement("DELETE FROM clients WHERE id = ?1 AND instance_id = ?2", [clientId, instanceId]),
    ]);
  }

  /** Deletes clients that no administrator created or approved and that nobody has ever allowed, up to a limit. Returns how many. */
  sweep(createdBefore: number, rowsMax: number): Promise<number> {
    const statement = deletionOf("clients", "rowid", `${UNUSED} AND ${FORGETTABLE} AND created_at < ?1`);
    return this.run(statement, [createdBefore, rowsMax]);
  }

  /** Deletes clients that nobody has allowed since then and that have no grant left, up to a limit. Returns how many. */
  async sweepAbandoned(allowedBefore: number, rowsMax: number): Promise<number> {
    const none = (table: string) =>
      `NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.client_id = clients.id AND t.instance_id = clients.instance_id)`;
    const unused = `${ALLOWED} AND ${FORGETTABLE} AND last_authorized_at < ?1 AND ${none("grants")} AND ${none("authorization_requests")}`;
    const statement = deletionOf("clients", "rowid", unused);
    return this.run(statement, [allowedBefore, rowsMax]);
  }
}
