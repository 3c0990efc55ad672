import type { AppRule } from "#app-access/app-rules.ts";
import type { ContentCondition } from "#documents/engine.ts";
import { exchangersOf } from "#clients/client-rows.sql.ts";
import { type ExternalIssuer, parseExternalIssuer } from "#issuers/external-issuer.ts";
import type { GlossaryEntry } from "#glossary/glossary.ts";
import { storedEntries } from "#glossary/glossary.sql.ts";
import { D1Store, rowsOf, runBatch } from "#platform/d1.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { SCHEMA_VERSION, versionFault } from "#platform/schema-version.ts";
import type { Scope } from "#protocol/scopes.ts";
import { ACCESS_TOKEN_LIFETIME_SECONDS_MAX, parseSettings, parseSingleSignOns } from "#settings/settings.ts";
import type { PolicySnapshot, PolicySource, PublishedKey } from "./policy-snapshot.ts";

/** Maximum parsed keys, issuers and app rules of all instances that an isolate serves. */
const PARSED_MAX = 1000;

/** If there are more changes than this since the last renewal, the whole snapshot is read. */
const CHANGES_MAX = 1000;

/**
 * How long changes are kept: longer than any isolate waits before it reads the whole policy, and longer than the longest lifetime
 * of an access token. A change whose row is deleted is not needed any more.
 */
const CHANGES_KEPT_SECONDS = ACCESS_TOKEN_LIFETIME_SECONDS_MAX + 3600;

interface VersionRow {
  readonly version: number | null;
  readonly oldest_reader: number | null;
}

interface InstanceRow extends VersionRow {
  readonly id: number;
  readonly settings: string;
  readonly single_sign_on: string | null;
  readonly documents: PolicySnapshot["documents"]["engine"];
  readonly documents_turn: number;
  readonly glossary: string | null;
  readonly exchangers: string;
}

interface KeyRow {
  readonly kid: string;
  readonly public_jwk: string;
  readonly stage: "next" | "signing" | "retired";
  readonly staged_at: number;
  /** Only of the key that signs. */
  readonly sealed_private_jwk: string | null;
}

interface IssuerRow {
  readonly configuration: string;
  readonly registration: string;
}

interface AppRulesRow {
  readonly app: string;
  readonly rules: string;
  readonly content: string;
}

/** A change, with the current state of what changed. */
interface ChangeRow {
  readonly id: number;
  readonly kind:
    | "instance"
    | "signing-key"
    | "external-issuer"
    | "app-rules"
    | "grant"
    | "client"
    | "person"
    | "service-token";
  readonly subject: string;
  readonly tokens_until: number | null;
  readonly revoked_reason: string | null;
  readonly client_scopes: string | null;
  readonly client_disabled_at: number | null;
  readonly deactivated_at: number | null;
  readonly signed_out_at: number | null;
  readonly token_changed_at: number | null;
}

/** Kinds of changes after which all of these are read again. They are few, and change rarely. */
const READ_WHOLE = ["instance", "signing-key", "external-issuer", "app-rules"] as const;

const TABLES_VERSION = "(SELECT max(version) AS version, max(oldest_reader) AS oldest_reader FROM schema_versions)";

const INSTANCE_OF_NAME = "(SELECT id FROM instances WHERE name = ?1)";

/** Returns the query for the changes of an instance that are newer than ?2. */
const changesOf = (instance: string) =>
  `SELECT h.id, h.kind, h.subject, g.tokens_until, g.revoked_reason, c.scopes AS client_scopes, c.disabled_at AS client_disabled_at,
     p.deactivated_at, p.signed_out_at, t.changed_at AS token_changed_at
   FROM policy_changes h
   LEFT JOIN grants g ON h.kind = 'grant' AND g.id = h.subject
   LEFT JOIN clients c ON h.kind = 'client' AND c.id = h.subject AND c.instance_id = h.instance_id
   LEFT JOIN people p ON h.kind = 'person' AND p.id = h.subject
   LEFT JOIN service_tokens t ON h.kind = 'service-token' AND t.id = h.subject
   WHERE h.instance_id = ${instance} AND h.id > ?2 ORDER BY h.id`;

/**
 * The statements of the policy snapshot. A whole snapshot is one batch, so one round trip and one point in time. A renewal is one
 * statement, which finds no row if nothing changed. Triggers in schema.sql write the rows.
 */
export class D1PolicySource extends D1Store implements PolicySource {
  /**
   * Parsed values by their text. What did not change stays the same object, by which others can tell that it did not change.
   */
  readonly #parsed = new BoundedMap<string, unknown>(PARSED_MAX);

  async readPolicy(name: string, now: number): Promise<PolicySnapshot | null> {
    const results = await runBatch(this.database, [
      ...this.#readWhole(name, now),
      this.statement(changesOf(INSTANCE_OF_NAME), [name, 0]),
    ]);
    const [instance] = rowsOf<InstanceRow>(results, 0);
    if (!instance) return null;
    const nothing = {
      version: 0,
      instanceId: instance.id,
      name,
      ...this.#toWhole(instance, results),
      revokedGrants: new Map<string, string | null>(),
      disabledClients: new Set<string>(),
      changedClients: new Map(),
      deactivatedPeople: new Set<string>(),
      signedOutPeople: new Map<string, number>(),
      changedServiceTokens: new Map(),
    };
    return withChanges(nothing, rowsOf(results, 4), now);
  }

  async renewPolicy(former: PolicySnapshot, now: number): Promise<PolicySnapshot | null> {
    const snapshot = withoutEndedKeys(former, now);
    const { instanceId, name, version } = snapshot;
    const changes = await this.all<ChangeRow>(`${changesOf("?1")} LIMIT ${CHANGES_MAX + 1}`, [instanceId, version]);
    if (changes.length === 0) return snapshot;
    if (changes.length > CHANGES_MAX) return this.readPolicy(name, now);
    const kinds = new Set(changes.map(({ kind }) => kind));
    const renewed = withChanges(snapshot, changes, now);
    if (!READ_WHOLE.some((kind) => kinds.has(kind))) return renewed;
    const results = await runBatch(this.database, this.#readWhole(name, now));
    const [instance] = rowsOf<InstanceRow>(results, 0);
    if (instance?.id !== instanceId) return this.readPolicy(name, now);
    return { ...renewed, ...this.#toWhole(instance, results) };
  }

  /**
   * Deletes changes that every isolate has read and that affect no unexpired token, up to `rowsMax`. Returns how many.
   *
   * The oldest changes come first: a batch reads only the first `rowsMax` rows, and a sweep ends at the first batch with a younger row.
   */
  async sweepChanges(rowsMax: number, olderThanSeconds = CHANGES_KEPT_SECONDS): Promise<number> {
    return this.run(
      `DELETE FROM policy_changes WHERE id IN (SELECT id FROM policy_changes ORDER BY id LIMIT ?2) AND at < unixepoch() - ?1`,
      [olderThanSeconds, rowsMax],
    );
  }

  /** Returns why this code can't serve the tables; `null` if it can. */
  async schemaFault(): Promise<string | null> {
    const row = await this.first<VersionRow>(`SELECT version, oldest_reader FROM ${TABLES_VERSION}`);
    return faultOf(row ?? { version: null, oldest_reader: null });
  }

  #readWhole(name: string, now: number): D1PreparedStatement[] {
    return [this.#instance(name), this.#keys(name, now), this.#issuers(name), this.#appRules(name)];
  }

  #toWhole(instance: InstanceRow, results: D1Result[]) {
    return {
      ...readInstance(instance),
      glossary: this.#parse(instance.glossary ?? "[]", (json) => json as GlossaryEntry[]),
      exchangers: new Set(JSON.parse(instance.exchangers) as string[]),
      ...this.#readKeys(rowsOf(results, 1)),
      ...this.#readIssuers(rowsOf(results, 2), instance),
      appRules: this.#byApp<AppRule>(results, ({ rules }) => rules),
      appContent: this.#byApp<ContentCondition>(results, ({ content }) => content),
    };
  }

  /** Returns one of the lists that an app's row has. An empty list counts as none. */
  #byApp<Item>(results: D1Result[], listOf: (row: AppRulesRow) => string): ReadonlyMap<string, readonly Item[]> {
    const lists = rowsOf<AppRulesRow>(results, 3).map(
      (row) => [row.app, this.#parse(listOf(row), (json) => json as readonly Item[])] as const,
    );
    return new Map(lists.filter(([, list]) => list.length > 0));
  }

  #instance(name: string): D1PreparedStatement {
    return this.statement(
      `SELECT id, settings, single_sign_on, documents, documents_turn,
         ${storedEntries("instances.id")} AS glossary, ${exchangersOf("instances.id")} AS exchangers,
         version, oldest_reader
       FROM instances CROSS JOIN ${TABLES_VERSION} WHERE name = ?1`,
      [name],
    );
  }

  #keys(name: string, now: number): D1PreparedStatement {
    return this.statement(
      `SELECT kid, public_jwk, stage, staged_at, iif(stage = 'signing', sealed_private_jwk, NULL) AS sealed_private_jwk
       FROM signing_keys
       WHERE instance_id = ${INSTANCE_OF_NAME} AND (stage <> 'retired' OR staged_at > ?2)`,
      [name, now - ACCESS_TOKEN_LIFETIME_SECONDS_MAX],
    );
  }

  #issuers(name: string): D1PreparedStatement {
    return this.statement(
      `SELECT configuration, registration FROM external_issuers WHERE instance_id = ${INSTANCE_OF_NAME} AND disabled_at IS NULL`,
      [name],
    );
  }

  #appRules(name: string): D1PreparedStatement {
    return this.statement(`SELECT app, rules, content FROM app_rules WHERE instance_id = ${INSTANCE_OF_NAME}`, [name]);
  }

  #readKeys(rows: readonly KeyRow[]): Pick<PolicySnapshot, "publishedKeys" | "signingKey"> {
    const signing = rows.find(({ stage }) => stage === "signing");
    return {
      publishedKeys: new Map(
        rows.map(({ kid, public_jwk, stage, staged_at }) => [
          kid,
          {
            kid,
            publicJwk: this.#parse(public_jwk, (jwk) => jwk as PublishedKey["publicJwk"]),
            endsAt: stage === "retired" ? staged_at + ACCESS_TOKEN_LIFETIME_SECONDS_MAX : null,
          },
        ]),
      ),
      signingKey: signing ? { kid: signing.kid, sealedPrivateJwk: signing.sealed_private_jwk ?? "" } : null,
    };
  }

  #readIssuers(
    rows: readonly IssuerRow[],
    { single_sign_on: ssos }: Pick<InstanceRow, "single_sign_on">,
  ): Pick<PolicySnapshot, "externalIssuers"> {
    // An issuer that was removed and registered again counts as a new one: while no issuer is registered, sign-outs are not recorded.
    // If the SSOs change, all issuers count as new ones: the SSOs decide which people an issuer's tokens can mean.
    const issuers = rows.map(
      ({ configuration, registration }): ExternalIssuer =>
        this.#parse(configuration, parseExternalIssuer, `${registration} ${ssos ?? ""} ${configuration}`),
    );
    return { externalIssuers: new Map(issuers.map((issuer) => [issuer.issuer, issuer])) };
  }

  #parse<Value>(text: string, read: (json: unknown) => Value, key = text): Value {
    const known = this.#parsed.get(key) as Value | undefined;
    if (known !== undefined) return known;
    const value = read(JSON.parse(text));
    this.#parsed.set(key, value);
    return value;
  }
}

function faultOf({ version, oldest_reader }: VersionRow): string | null {
  return versionFault({ version: version ?? 0, oldestReader: oldest_reader ?? 0 }, SCHEMA_VERSION);
}

function readInstance(
  row: InstanceRow,
): Pick<PolicySnapshot, "schemaFault" | "settings" | "singleSignOns" | "documents"> {
  return {
    schemaFault: faultOf(row),
    documents: { engine: row.documents, turn: row.documents_turn },
    settings: parseSettings(JSON.parse(row.settings)),
    singleSignOns: parseSingleSignOns(row.single_sign_on),
  };
}

/** Removes keys that have ended. They end only by time, so no change reports it. */
function withoutEndedKeys(snapshot: PolicySnapshot, now: number): PolicySnapshot {
  const keys = [...snapshot.publishedKeys].filter(([, { endsAt }]) => endsAt === null || endsAt > now);
  return keys.length === snapshot.publishedKeys.size ? snapshot : { ...snapshot, publishedKeys: new Map(keys) };
}

/** Returns a copy of a snapshot, with the changes of grants, clients, people and tokens. */
function withChanges(snapshot: PolicySnapshot, changes: readonly ChangeRow[], at: number): PolicySnapshot {
  const revokedGrants = new Map(snapshot.revokedGrants);
  const disabledClients = new Set(snapshot.disabledClients);
  const changedClients = new Map(snapshot.changedClients);
  const deactivatedPeople = new Set(snapshot.deactivatedPeople);
  const signedOutPeople = new Map(snapshot.signedOutPeople);
  const changedServiceTokens = new Map(snapshot.changedServiceTokens);
  for (const { kind, subject, ...now } of changes) {
    if (kind === "grant") {
      // A grant whose row was deleted stays, because nothing says until when it had tokens.
      if (now.tokens_until === null || now.tokens_until > at) revokedGrants.set(subject, now.revoked_reason);
      else revokedGrants.delete(subject);
    }
    if (kind === "person") {
      include(deactivatedPeople, subject, now.deactivated_at !== null);
      if (now.signed_out_at !== null) signedOutPeople.set(subject, now.signed_out_at);
    }
    if (kind === "client" && now.client_scopes !== null) {
      changedClients.set(subject, new Set(JSON.parse(now.client_scopes) as Scope[]));
      include(disabledClients, subject, now.client_disabled_at !== null);
    }
    if (kind === "service-token" && now.token_changed_at !== null) {
      changedServiceTokens.set(subject, now.token_changed_at);
    }
  }
  return {
    ...snapshot,
    version: changes.at(-1)?.id ?? snapshot.version,
    revokedGrants,
    disabledClients,
    changedClients,
    deactivatedPeople,
    signedOutPeople,
    changedServiceTokens,
  };
}

function include(set: Set<string>, id: string, isIn: boolean): void {
  if (isIn) set.add(id);
  else set.delete(id);
}
