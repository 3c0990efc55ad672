import { BoundedMap } from "#platform/bounded-map.ts";
import { rowsOf, runBatch } from "#platform/d1.ts";
import type { Scope } from "#protocol/scopes.ts";
import { type ExternalIssuer, parseExternalIssuer } from "#issuers/external-issuer.ts";
import {
  type PolicySnapshot,
  type PolicySource,
  type PublishedKey,
  SERVICE_TOKENS_REMEMBERED_SECONDS,
} from "./policy-snapshot.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX, parseSettings, parseSingleSignOn } from "#settings/settings.ts";

/** Keys and issuers of the instances that one isolate serves. */
const PARSED_MAX = 1000;

interface InstanceRow {
  readonly id: number;
  readonly settings: string;
  readonly single_sign_on: string | null;
}

interface KeyRow {
  readonly kid: string;
  readonly public_jwk: string;
  readonly stage: "next" | "signing" | "retired";
}

interface ClientRow {
  readonly id: string;
  readonly scopes: string;
  readonly disabled_at: number | null;
}

/** The policy snapshot's statements: one batch, so one round trip and one moment in time. */
export class D1PolicySource implements PolicySource {
  readonly #database: D1Database;
  /** Parsed before, by their text: what did not change stays the same object, which is how others tell that it did not. */
  readonly #parsed = new BoundedMap<string, unknown>(PARSED_MAX);

  constructor(database: D1Database) {
    this.#database = database;
  }

  async readPolicy(name: string, now: number): Promise<PolicySnapshot | null> {
    const since = now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX;
    const inInstance = "instance_id = (SELECT id FROM instances WHERE name = ?1)";
    const results = await runBatch(this.#database, [
      this.#database.prepare("SELECT id, settings, single_sign_on FROM instances WHERE name = ?1").bind(name),
      this.#database
        .prepare(
          `SELECT kid, public_jwk, stage FROM signing_keys WHERE ${inInstance} AND (stage <> 'retired' OR staged_at > ?2)`,
        )
        .bind(name, since),
      this.#database
        .prepare(`SELECT id FROM grants WHERE ${inInstance} AND revoked_at IS NOT NULL AND tokens_until > ?2`)
        .bind(name, now),
      this.#database
        .prepare(
          `SELECT id, scopes, disabled_at FROM clients WHERE ${inInstance} AND changed_at > ?2 AND changed_at > created_at AND last_authorized_at IS NOT NULL`,
        )
        .bind(name, since),
      this.#database.prepare(`SELECT id FROM people WHERE ${inInstance} AND deactivated_at IS NOT NULL`).bind(name),
      this.#database
        .prepare(`SELECT configuration FROM external_issuers WHERE ${inInstance} AND disabled_at IS NULL`)
        .bind(name),
      this.#database
        .prepare(`SELECT id, changed_at FROM service_tokens WHERE ${inInstance} AND changed_at > ?2`)
        .bind(name, now - 2 * SERVICE_TOKENS_REMEMBERED_SECONDS),
    ]);
    const [instance] = rowsOf<InstanceRow>(results, 0);
    if (!instance) return null;
    const keys = rowsOf<KeyRow>(results, 1);
    const clients = rowsOf<ClientRow>(results, 3);
    return {
      instanceId: instance.id,
      name,
      settings: parseSettings(JSON.parse(instance.settings)),
      singleSignOn: instance.single_sign_on === null ? null : parseSingleSignOn(JSON.parse(instance.single_sign_on)),
      publishedKeys: new Map(
        keys.map((key) => [
          key.kid,
          { kid: key.kid, publicJwk: this.#parse(key.public_jwk, (jwk) => jwk as PublishedKey["publicJwk"]) },
        ]),
      ),
      signingKid: keys.find((key) => key.stage === "signing")?.kid ?? null,
      revokedGrants: idsOf(results, 2),
      disabledClients: new Set(clients.filter((client) => client.disabled_at !== null).map((client) => client.id)),
      changedClients: new Map(clients.map((client) => [client.id, new Set(JSON.parse(client.scopes) as Scope[])])),
      deactivatedPeople: idsOf(results, 4),
      externalIssuers: byIssuer(
        rowsOf<{ configuration: string }>(results, 5).map((row) => this.#parse(row.configuration, parseExternalIssuer)),
      ),
      changedServiceTokens: new Map(
        rowsOf<{ id: string; changed_at: number }>(results, 6).map((row) => [row.id, row.changed_at]),
      ),
    };
  }

  #parse<Value>(text: string, read: (json: unknown) => Value): Value {
    const known = this.#parsed.get(text) as Value | undefined;
    if (known !== undefined) return known;
    const value = read(JSON.parse(text));
    this.#parsed.set(text, value);
    return value;
  }
}

function byIssuer(issuers: ExternalIssuer[]): ReadonlyMap<string, ExternalIssuer> {
  return new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
}

function idsOf(results: D1Result[], index: number): ReadonlySet<string> {
  return new Set(rowsOf<{ id: string }>(results, index).map((row) => row.id));
}
