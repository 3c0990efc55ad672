import { asMembers } from "#platform/columns.sql.ts";
import { type AuditedDatabase, AuditedStore } from "#audit/audited-store.sql.ts";
import { type ExternalIssuer, ISSUERS_MAX, parseExternalIssuer, type RegisteredIssuer } from "./external-issuer.ts";
import type { AuditEntry } from "#audit/audit.ts";
import type { Statement } from "#platform/d1.ts";
import { ApiError } from "#protocol/errors.ts";

type Row = Pick<RegisteredIssuer, "text" | "createdAt" | "changedAt"> & { readonly disabledAt: number | null };

const COLUMNS = `configuration AS text, ${asMembers("created_at, changed_at, disabled_at")}`;

/** Returns the statements that end what an issuer's assertions granted, if the previous statement changed a row. */
type EndAssertedGrants = (
  database: AuditedDatabase,
  ending: { instanceId: number; issuer: string; actor: string; at: number },
) => readonly Statement[];

/** Returns the statement that removes the groups that an issuer gave to people. */
type ForgetGroups = (database: AuditedDatabase, instanceId: number, issuer: string) => Statement;

/** The identity providers whose tokens an instance accepts. The gate uses the policy snapshot, not this store. */
export class D1ExternalIssuers extends AuditedStore {
  readonly #endAssertedGrants: EndAssertedGrants;
  readonly #forgetGroups: ForgetGroups;

  constructor(database: AuditedDatabase, endAssertedGrants: EndAssertedGrants, forgetGroups: ForgetGroups) {
    super(database);
    this.#endAssertedGrants = endAssertedGrants;
    this.#forgetGroups = forgetGroups;
  }

  async find(instanceId: number, issuer: string): Promise<RegisteredIssuer | null> {
    return this.first(
      `SELECT ${COLUMNS} FROM external_issuers WHERE instance_id = ?1 AND issuer = ?2`,
      [instanceId, issuer],
      fromRow,
    );
  }

  async list(instanceId: number): Promise<RegisteredIssuer[]> {
    return this.all(
      `SELECT ${COLUMNS} FROM external_issuers WHERE instance_id = ?1 ORDER BY created_at, issuer`,
      [instanceId],
      fromRow,
    );
  }

  /** Returns an issuer. @throws {ApiError} `not_found` if it is not registered */
  async require(instance: { readonly id: number; readonly name: string }, issuer: string): Promise<RegisteredIssuer> {
    const registered = await this.find(instance.id, issuer);
    if (registered) return registered;
    const known = (await this.list(instance.id)).map(({ configuration }) => configuration.issuer);
    const nearest = known.find((each) => withoutSlash(each) === withoutSlash(issuer));
    throw new ApiError("not_found", {
      reason: "external_issuer_unknown",
      description: `${instance.name} has no issuer ${issuer}${nearest === undefined ? "" : `; it has ${nearest}`}`,
    });
  }

  /**
   * Adds an issuer, unless it exists already or the instance has {@link ISSUERS_MAX} issuers.
   *
   * Counts and writes in one statement, so that two administrators who both add the last possible issuer can't both succeed. Groups
   * are named with their issuer, and names are folded, so two issuers that differ only by case would share their groups.
   */
  add(configuration: ExternalIssuer, entry: AuditEntry<"external_issuer_registered">): Promise<boolean> {
    return this.decide(
      this.statement(
        `INSERT INTO external_issuers (instance_id, issuer, configuration, created_at, changed_at)
         SELECT ?1, ?2, ?3, ?4, ?4
         WHERE (SELECT count(*) FROM external_issuers WHERE instance_id = ?1) < ?5
           AND NOT EXISTS (SELECT 1 FROM external_issuers WHERE instance_id = ?1 AND lower(issuer) = lower(?2))
         ON CONFLICT DO NOTHING`,
        [entry.instanceId, configuration.issuer, JSON.stringify(configuration), entry.at, ISSUERS_MAX],
      ),
      entry,
    );
  }

  /** Replaces the configuration if it is still `seen`. The issuer stays enabled or disabled. */
  replace(
    configuration: ExternalIssuer,
    seen: RegisteredIssuer,
    entry: AuditEntry<"external_issuer_changed">,
  ): Promise<boolean> {
    return this.decide(
      this.statement(
        `UPDATE external_issuers SET configuration = ?3, changed_at = ?4
         WHERE instance_id = ?1 AND issuer = ?2 AND configuration = ?5`,
        [entry.instanceId, configuration.issuer, JSON.stringify(configuration), entry.at, seen.text],
      ),
      entry,
      this.#endAssertedGrants(this.database, { ...entry, issuer: configuration.issuer }),
    );
  }

  /** Disables an issuer, and removes the groups that it gave to people. */
  disable(issuer: string, entry: AuditEntry<"external_issuer_disabled">): Promise<boolean> {
    return this.decide(
      this.statement(
        `UPDATE external_issuers SET disabled_at = ?3, changed_at = ?3
         WHERE instance_id = ?1 AND issuer = ?2 AND disabled_at IS NULL`,
        [entry.instanceId, issuer, entry.at],
      ),
      entry,
      this.#endAccess(issuer, entry),
    );
  }

  enable(issuer: string, entry: AuditEntry<"external_issuer_enabled">): Promise<boolean> {
    return this.decide(
      this.statement(
        `UPDATE external_issuers SET disabled_at = NULL, changed_at = ?3
         WHERE instance_id = ?1 AND issuer = ?2 AND disabled_at IS NOT NULL`,
        [entry.instanceId, issuer, entry.at],
      ),
      entry,
    );
  }

  /**
   * Removes an issuer, and the groups that it gave to people. Accounts stay linked, so that nobody comes back as somebody else.
   */
  remove(issuer: string, entry: AuditEntry<"external_issuer_removed">): Promise<boolean> {
    return this.decide(
      this.statement("DELETE FROM external_issuers WHERE instance_id = ?1 AND issuer = ?2", [entry.instanceId, issuer]),
      entry,
      this.#endAccess(issuer, entry),
    );
  }

  /** Returns the statements that end what its assertions granted, and remove the groups that it gave to people. */
  #endAccess(issuer: string, entry: AuditEntry): readonly Statement[] {
    return [
      ...this.#endAssertedGrants(this.database, { ...entry, issuer }),
      this.#forgetGroups(this.database, entry.instanceId, issuer),
    ];
  }
}

function fromRow({ disabledAt, ...row }: Row): RegisteredIssuer {
  return { ...row, configuration: parseExternalIssuer(JSON.parse(row.text)), isDisabled: disabledAt !== null };
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "").toLowerCase();
}
