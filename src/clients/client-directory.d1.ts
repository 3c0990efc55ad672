import type { RowOf } from "#platform/columns.sql.ts";
import { D1Store } from "#platform/d1.ts";
import { equals, holds, type Listing, readListing } from "#platform/listing.sql.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Client } from "./client.ts";
import type { AppRequest, ListedClient } from "./client-directory.ts";
import type { CLIENT_LIST } from "./client-list.ts";
import { type ClientRow, COVERED_CLIENT_COLUMNS, toClient } from "./client-rows.sql.ts";
import { appOf, isCovered } from "./installs.sql.ts";
import { isApp } from "./is-app.sql.ts";

type Row = ClientRow & RowOf<Omit<ListedClient, keyof Client>, "requests">;

/** SQL of the installs of a client's app. */
const INSTALLS = "clients i WHERE i.instance_id = c.instance_id AND i.app = c.app";

/** SQL for when an app was last used. Ended grants are deleted later; then only the time of the last authorization is left. */
const LAST_USED = `COALESCE(
  (SELECT max(COALESCE(g.rotated_at, g.redeemed_at)) FROM grants g
   WHERE +g.instance_id = c.instance_id AND g.client_id IN (SELECT i.id FROM ${INSTALLS})),
  (SELECT max(i.last_authorized_at) FROM ${INSTALLS}))`;

/** SQL of who asked for an app. */
const REQUESTS = `(SELECT json_group_array(json_object('email', r.email, 'purpose', r.reason, 'askedAt', r.asked_at))
  FROM (SELECT * FROM app_requests WHERE instance_id = c.instance_id AND app = c.app ORDER BY asked_at DESC LIMIT 5) r)`;

const COLUMNS = `${COVERED_CLIENT_COLUMNS}, ${LAST_USED} AS lastUsedAt, (SELECT count(*) FROM ${INSTALLS}) AS installs,
  (SELECT count(*) FROM ${INSTALLS} AND i.disabled_at IS NOT NULL) AS deniedInstalls, ${REQUESTS} AS requests`;

const IS_WAITING = `(c.is_pending = 1 AND NOT ${isCovered("c")})`;

/** SQL of one install of each app: one that waits, else one that is enabled, else any; the newest of these. */
const APPS = `(SELECT *, max((disabled_at IS NULL) * (1 + ${IS_WAITING}) * 1e11 + created_at) AS standing
  FROM clients c WHERE c.instance_id = ?1 AND ${isApp("c")} GROUP BY c.app) c`;

const LISTING: Listing<typeof CLIENT_LIST> = {
  columns: COLUMNS,
  from: APPS,
  where: "TRUE",
  id: "c.id",
  search: (bind, text, folded) =>
    `EXISTS (SELECT 1 FROM ${INSTALLS} AND ${holds("i.name", "i.id", "i.app", "i.redirect_uris")(bind, text, folded)})`,
  filters: {
    kind: equals("c.kind"),
    state: equals(
      `CASE WHEN c.disabled_at IS NOT NULL THEN 'disabled' WHEN ${IS_WAITING} THEN 'waiting' ELSE 'enabled' END`,
    ),
    approved: equals(`iif((c.kept_at IS NOT NULL AND NOT c.is_pending) OR ${isCovered("c")}, 'true', 'false')`),
  },
  sorts: { createdAt: "c.created_at", name: "lower(c.name)", lastUsedAt: `COALESCE(${LAST_USED}, 0)` },
};

/** SQL of the row of a client of the instance ?1, by its id, or by its app's. */
function rowNamed(name: string): string {
  return `coalesce((SELECT rowid FROM clients WHERE id = ${name} AND instance_id = ?1),
    (SELECT rowid FROM clients WHERE instance_id = ?1 AND app = ${name} LIMIT 1))`;
}

/** Clients for lists, in D1. */
export class D1ClientDirectory extends D1Store {
  /** Finds a client by its id, or by the name of its app, which may have several. */
  async find(instanceId: number, clientId: string): Promise<ListedClient | null> {
    return this.first(
      `SELECT ${COLUMNS} FROM clients c WHERE c.rowid = ${rowNamed("?2")} AND ${isApp("c")}`,
      [instanceId, clientId],
      toListed,
    );
  }

  /** Returns the ids of all installs of the apps of several clients. */
  async installsOf(instanceId: number, clientIds: readonly string[]): Promise<string[]> {
    return this.all(
      `SELECT o.id FROM json_each(?2) wanted CROSS JOIN clients o ON o.instance_id = ?1 AND o.app = ${appOf("wanted.value", "?1")}`,
      [instanceId, JSON.stringify(clientIds)],
      ({ id }: { id: string }) => id,
    );
  }

  /** Finds several clients; unknown ids are left out. */
  async findAll(instanceId: number, clientIds: readonly string[]): Promise<ListedClient[]> {
    return this.all(
      `SELECT ${COLUMNS} FROM clients c
       WHERE c.id IN (SELECT value FROM json_each(?2)) AND c.instance_id = ?1 AND ${isApp("c")}`,
      [instanceId, JSON.stringify(clientIds)],
      toListed,
    );
  }

  /** Returns one part of the list of all apps, filtered and sorted as `CLIENT_LIST` allows. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<ListedClient>> {
    return readListing(this.database, LISTING, [instanceId], query, toListed);
  }

  /** Returns the names of clients and of apps, for lists that contain their ids. */
  async namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.all<{ id: string; name: string }>(
      `SELECT wanted.value AS id, c.name FROM json_each(?2) wanted
       JOIN clients c ON c.rowid = ${rowNamed("wanted.value")}`,
      [instanceId, JSON.stringify(ids)],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

function toListed({ lastUsedAt, installs, deniedInstalls, requests, ...client }: Row): ListedClient {
  return { ...toClient(client), lastUsedAt, installs, deniedInstalls, requests: JSON.parse(requests) as AppRequest[] };
}
