import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type AuditedDatabase, AuditedStore } from "#audit/audited-store.sql.ts";
import type { AuditEntry, Deed } from "#audit/audit.ts";
import { parseSingleSignOns, type SingleSignOn } from "#settings/settings.ts";
import type { Statement } from "#platform/d1.ts";
import { SINGLE_SIGN_ONS } from "./instance.sql.ts";
import type { InstanceRecord } from "./instances.ts";
import type { EngineName } from "#documents/moving/engines.ts";

interface Row {
  readonly id: number;
  readonly name: string;
  readonly settings: string;
  readonly single_sign_on: string | null;
}

const COLUMNS = "id, name, settings, single_sign_on";

/** The condition that an owner can sign in at one of these SSOs: SQL of a table with the SSOs as `value`. */
const ownerSignsInAt = (
  ssos: string,
) => `EXISTS (SELECT 1 FROM people JOIN ${ssos} AS people_sso ON sso_issuer = value ->> '$.issuer'
  WHERE instance_id = ?1 AND role = 'owner' AND deactivated_at IS NULL
    AND (coalesce(json_array_length(value, '$.emailDomains'), 0) = 0
      OR substr(email, instr(email, '@') + 1) IN (SELECT d.value FROM json_each(people_sso.value, '$.emailDomains') d)))`;

/** Returns the statements that end what people got at an SSO that has been removed. */
type EndAccess = (database: AuditedDatabase, ending: Deed & { readonly issuer: string }) => readonly Statement[];

/** Instances, their settings and their connections to SSOs. */
export class D1Instances extends AuditedStore {
  readonly #endAccessOf: EndAccess;

  constructor(database: AuditedDatabase, endAccessOf: EndAccess) {
    super(database);
    this.#endAccessOf = endAccessOf;
  }

  async find(name: string): Promise<InstanceRecord | null> {
    return this.first(`SELECT ${COLUMNS} FROM instances WHERE name = ?1`, [name], toInstance);
  }

  /** Returns an instance. @throws {AdministrationRefused} if there is none of this name */
  async require(name: string): Promise<InstanceRecord> {
    const instance = await this.find(name);
    if (instance) return instance;
    throw new AdministrationRefused(`There is no instance ${name}: create it with "instance create ${name}"`);
  }

  async list(): Promise<InstanceRecord[]> {
    return this.all(`SELECT ${COLUMNS} FROM instances ORDER BY name`, [], toInstance);
  }

  /**
   * Creates an instance.
   *
   * @param documents what keeps its documents
   * @returns `false` if the name is taken
   */
  async create(name: string, documents: EngineName, now: number, actor: string): Promise<boolean> {
    const id = randomInstanceId();
    const creation = this.statement(
      `INSERT INTO instances (id, name, settings, documents, created_at) VALUES (?1, ?2, '{}', ?4, ?3)
       ON CONFLICT DO NOTHING`,
      [id, name, now, documents],
    );
    const detail = { name };
    return this.decide(creation, { instanceId: id, at: now, actor, event: "instance_created", detail });
  }

  /**
   * Writes settings, but only if they are still as read: otherwise an administrator would overwrite a change that they have not seen.
   *
   * @returns `false` if other settings are stored by now than `instance` was read with; nothing is written then
   */
  async writeSettings(
    instance: InstanceRecord,
    settings: Readonly<Record<string, unknown>>,
    entry: AuditEntry<"settings_changed">,
  ): Promise<boolean> {
    const change = this.statement("UPDATE instances SET settings = ?2 WHERE id = ?1 AND settings = ?3", [
      instance.id,
      JSON.stringify(settings),
      instance.stored.settings,
    ]);
    return this.decide(change, entry);
  }

  /**
   * Writes the connections to SSOs. An SSO that is not among them any more gives no access: what people got there ends.
   *
   * @param mayLockOut whether it may be that no owner can sign in any more
   * @returns `false` if others are stored by now than `instance` was read with, or if it would lock out all owners; nothing is written
   *   then
   */
  async writeSingleSignOns(
    instance: InstanceRecord,
    singleSignOns: readonly SingleSignOn[],
    mayLockOut: boolean,
    entry: AuditEntry<"single_sign_on_changed" | "single_sign_on_removed">,
  ): Promise<boolean> {
    const change = this.statement(
      `UPDATE instances SET single_sign_on = ?2 WHERE id = ?1 AND single_sign_on IS ?3
         AND (?4 OR ${ownerSignsInAt("json_each(?2)")} OR NOT ${ownerSignsInAt(SINGLE_SIGN_ONS)})`,
      [instance.id, JSON.stringify(singleSignOns), instance.stored.singleSignOns, mayLockOut ? 1 : 0],
    );
    const { actor, at, instanceId, detail } = entry;
    const issuer = "issuer" in detail ? detail.issuer : undefined;
    const consequences =
      issuer === undefined ? [] : this.#endAccessOf(this.database, { instanceId, issuer, actor, at });
    return this.decide(change, entry, consequences);
  }
}

function toInstance(row: Row): InstanceRecord {
  return {
    id: row.id,
    name: row.name,
    settings: JSON.parse(row.settings) as Readonly<Record<string, unknown>>,
    singleSignOns: parseSingleSignOns(row.single_sign_on),
    stored: { settings: row.settings, singleSignOns: row.single_sign_on },
  };
}

/**
 * Returns an id that no other instance has ever had, even in another database. Documents are in an object that is named by the id and
 * outlives the database: otherwise the first instance of a recreated database would find the documents of the previous one. 52 random
 * bits.
 */
function randomInstanceId(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
  return 1 + (high & 0xf_ffff) * 2 ** 32 + low;
}
