import { AuditedStore } from "#audit/audited-store.sql.ts";
import { installsOf, isCovered } from "#clients/installs.sql.ts";
import { readerOf } from "#platform/columns.sql.ts";
import { epochSeconds } from "#platform/clock.ts";
import { changesOf, runBatch } from "#platform/d1.ts";
import { equals, holds, type Listing, readListing } from "#platform/listing.sql.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Ending } from "./ending.ts";
import { endGrants } from "./ending.sql.ts";
import type { ConnectedApp, GrantPolicy, GrantProgress, ListedGrant, Reach, UnvouchedReach } from "./grants.ts";
import type { GRANT_LIST } from "./grant-list.ts";
import { THROUGH_APP } from "./grant.ts";
import { lastUsed, running } from "./running.sql.ts";

/** The condition for running grants. Every statement here has the same parameters: the instance, the moment and the idle lifetime. */
const RUNNING = `g.instance_id = ?1 AND ${running("g", { now: "?2", idleSeconds: "?3" })}`;

const WITH_CLIENT = "JOIN clients c ON c.id = g.client_id AND c.instance_id = g.instance_id";

const COLUMNS = `g.id, g.person_id AS personId, p.email AS personEmail, g.client_id AS clientId, c.name AS clientName, g.scope,
    g.created_at AS createdAt, ${lastUsed("g")} AS lastTokensAt, g.expires_at AS expiresAt,
    g.asserted_by AS assertedBy`;

const FROM = `grants g JOIN people p ON p.id = g.person_id ${WITH_CLIENT}`;

const LISTED = `SELECT ${COLUMNS} FROM ${FROM} WHERE ${RUNNING}`;

const LISTING: Listing<typeof GRANT_LIST> = {
  columns: COLUMNS,
  from: FROM,
  where: RUNNING,
  id: "g.id",
  search: holds("p.email", "c.name", "g.client_id"),
  filters: { person: equals("g.person_id"), client: (bind, id) => `g.client_id IN (${installsOf(bind(id))})` },
  sorts: { createdAt: "g.created_at", lastTokensAt: lastUsed("g"), expiresAt: "g.expires_at" },
};

const readApp = readerOf<Omit<ConnectedApp, "passedOnBy">>()(
  ["redirectUris", "assertedBy"],
  ["isApproved", "isConsented"],
);

/** Running grants in D1: for lists and counts, and to end them. */
export class D1Grants extends AuditedStore {
  /** Returns one part of the list of running grants, filtered and sorted as `GRANT_LIST` allows. */
  list(policy: GrantPolicy, query: ListQuery): Promise<ListPage<ListedGrant>> {
    return readListing(this.database, LISTING, this.#among(policy), query, (row: ListedGrant) => row);
  }

  /** Finds a running grant. */
  find(policy: GrantPolicy, grantId: string): Promise<ListedGrant | null> {
    return this.first(`${LISTED} AND g.id = ?4`, [...this.#among(policy), grantId]);
  }

  /** Lists the apps that a person allowed, last used first. */
  async appsOf(policy: GrantPolicy, personId: string): Promise<ConnectedApp[]> {
    const rows = await this.all<Omit<Parameters<typeof readApp>[0], "scopes"> & { readonly scopes: string }>(
      `SELECT c.id AS clientId, c.name, c.kind, c.app, c.kind = 'static' OR c.kept_at IS NOT NULL OR ${isCovered("c")} AS isApproved, c.redirect_uris AS redirectUris,
         h.scopes, h.since, h.lastTokensAt, h.connections, h.assertedBy, h.isConsented
       FROM (
         SELECT g.client_id, group_concat(g.scope, ' ') AS scopes, min(g.created_at) AS since,
           max(${lastUsed("g")}) AS lastTokensAt, count(*) AS connections,
           json_group_array(DISTINCT g.asserted_by) FILTER (WHERE g.asserted_by IS NOT NULL) AS assertedBy, max(g.asserted_by IS NULL) AS isConsented
         FROM grants g WHERE ${RUNNING} AND g.person_id = ?4 GROUP BY g.client_id) h
       CROSS JOIN clients c ON c.id = h.client_id AND c.instance_id = ?1 AND c.disabled_at IS NULL
       ORDER BY h.lastTokensAt DESC, h.since DESC`,
      [...this.#among(policy), personId],
    );
    return rows.map((row) => {
      const app = readApp({ ...row, scopes: row.scopes.split(" ") });
      const through = app.assertedBy
        .filter((by) => by.startsWith(THROUGH_APP))
        .map((by) => by.slice(THROUGH_APP.length));
      return {
        ...app,
        assertedBy: app.assertedBy.filter((by) => !by.startsWith(THROUGH_APP)),
        passedOnBy: through.map((id) => rows.find((one) => one.clientId === id)?.name ?? id),
      };
    });
  }

  /** Returns how far grants have come, whether they are running or have ended. */
  progressOf({ instanceId }: GrantPolicy, grantIds: readonly string[]): Promise<GrantProgress[]> {
    return this.all(
      `SELECT g.id, p.email AS personEmail, g.created_at AS createdAt, g.redeemed_at AS redeemedAt, g.rotated_at AS rotatedAt
       FROM json_each(?2) wanted CROSS JOIN grants g ON g.id = wanted.value JOIN people p ON p.id = g.person_id
       WHERE g.instance_id = ?1`,
      [instanceId, JSON.stringify(grantIds)],
    );
  }

  /**
   * Counts the people and grants affected if the authorization server is turned off, or an app ends.
   *
   * @param clientId counts the installs of one app only; `null` counts every client
   */
  async reach(policy: GrantPolicy, clientId: string | null = null): Promise<Reach> {
    const row = await this.first<Reach>(
      `SELECT count(DISTINCT g.person_id) AS people, count(DISTINCT g.client_id) AS clients, count(*) AS grants
       FROM grants g WHERE ${RUNNING} ${clientId === null ? "" : `AND g.client_id IN (${installsOf("?4")})`}`,
      [...this.#among(policy), ...(clientId === null ? [] : [clientId])],
    );
    return row ?? { people: 0, clients: 0, grants: 0 };
  }

  /** Returns the reach of the app of each client. Apps that nobody uses are left out. */
  async reachOfEach(policy: GrantPolicy, clientIds: readonly string[]): Promise<ReadonlyMap<string, Reach>> {
    const rows = await this.all<Reach & { client_id: string }>(
      `SELECT s.value AS client_id, count(DISTINCT g.person_id) AS people, count(DISTINCT c.id) AS clients, count(*) AS grants
       FROM json_each(?4) s CROSS JOIN clients c ON c.id IN (${installsOf("s.value")}) AND c.instance_id = ?1
       CROSS JOIN grants g ON g.client_id = c.id AND ${RUNNING} GROUP BY s.value`,
      [...this.#among(policy), JSON.stringify(clientIds)],
    );
    return new Map(rows.map(({ client_id, ...reach }) => [client_id, reach]));
  }

  /** Counts the people and grants affected if apps that no administrator created lose scopes. */
  async unvouchedReach(policy: GrantPolicy): Promise<UnvouchedReach> {
    const row = await this.first<UnvouchedReach>(
      `SELECT count(DISTINCT g.person_id) AS people, count(*) AS grants,
         count(DISTINCT CASE WHEN c.kind = 'document' THEN g.person_id END) AS documentPeople,
         count(CASE WHEN c.kind = 'document' THEN 1 END) AS documentGrants
       FROM grants g ${WITH_CLIENT}
       WHERE ${RUNNING} AND c.kind <> 'static' AND c.disabled_at IS NULL`,
      this.#among(policy),
    );
    return row ?? { people: 0, grants: 0, documentPeople: 0, documentGrants: 0 };
  }

  /**
   * Ends every grant of the scope and records it, in one transaction. Codes that were not redeemed yet stop working at once;
   * running access tokens end within the age of a policy snapshot. A decision that ends more than grants puts the same statements
   * into its own batch.
   *
   * @returns how many grants ended
   */
  async end(ending: Ending): Promise<number> {
    return changesOf(await runBatch(this.database, endGrants(this.database, ending)), 0);
  }

  /** Returns the parameters of {@link RUNNING}. */
  #among({ instanceId, settings }: GrantPolicy): [number, number, number] {
    return [instanceId, epochSeconds(), settings.grantIdleSeconds];
  }
}
