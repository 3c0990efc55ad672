import { D1Store } from "#platform/d1-store.ts";
import { allRows, firstRow } from "#platform/d1.ts";
import { equals, holds, type Listing, readListing } from "#platform/listing.sql.ts";
import type { ListPage, ListQuery } from "#platform/listing.ts";
import { textsById } from "#platform/texts-by-id.sql.ts";
import type { ListedClient } from "./client-directory.ts";
import type { CLIENT_LIST } from "./client-list.ts";
import { CLIENT_COLUMNS, type ClientRow, toClient } from "./client-rows.sql.ts";
import { isApp } from "./is-app.sql.ts";

interface Row extends ClientRow {
  readonly last_used_at: number | null;
}

/** SQL for when a client was last used. Ended grants are deleted later; then only the time of the last authorization is left. */
const LAST_USED = `COALESCE(
  (SELECT max(COALESCE(g.rotated_at, g.redeemed_at)) FROM grants g
   WHERE g.client_id = c.id AND g.instance_id = c.instance_id), c.last_authorized_at)`;

const COLUMNS = `${CLIENT_COLUMNS}, ${LAST_USED} AS last_used_at`;

const LISTING: Listing<typeof CLIENT_LIST> = {
  columns: COLUMNS,
  from: "clients c",
  where: `c.instance_id = ?1 AND ${isApp("c")}`,
  id: "c.id",
  search: holds("c.name", "c.id", "c.redirect_uris"),
  filters: {
    kind: equals("c.kind"),
    state: equals(
      "CASE WHEN c.disabled_at IS NOT NULL THEN 'disabled' WHEN c.is_pending THEN 'waiting' ELSE 'enabled' END",
    ),
    approved: equals("iif(c.kept_at IS NULL OR c.is_pending, 'false', 'true')"),
  },
  sorts: { createdAt: "c.created_at", name: "lower(c.name)", lastUsedAt: `COALESCE(${LAST_USED}, 0)` },
};

/** Clients for lists, in D1. */
export class D1ClientDirectory extends D1Store {
  async find(instanceId: number, clientId: string): Promise<ListedClient | null> {
    const row = await firstRow<Row>(
      this.database
        .prepare(`SELECT ${COLUMNS} FROM clients c WHERE c.id = ?2 AND c.instance_id = ?1 AND ${isApp("c")}`)
        .bind(instanceId, clientId),
    );
    return row && toListed(row);
  }

  /** Finds several clients; unknown ids are left out. */
  async findAll(instanceId: number, clientIds: readonly string[]): Promise<ListedClient[]> {
    const rows = await allRows<Row>(
      this.database
        .prepare(
          `SELECT ${COLUMNS} FROM clients c
           WHERE c.id IN (SELECT value FROM json_each(?2)) AND c.instance_id = ?1 AND ${isApp("c")}`,
        )
        .bind(instanceId, JSON.stringify(clientIds)),
    );
    return rows.map(toListed);
  }

  /** Returns one part of the list of all clients, filtered and sorted as `CLIENT_LIST` allows. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<ListedClient>> {
    return readListing(this.database, LISTING, [instanceId], query, toListed);
  }

  /** Returns the names of clients by id, for lists that contain ids. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return textsById(this.database, { table: "clients", column: "name" }, instanceId, ids);
  }
}

function toListed(row: Row): ListedClient {
  return { ...toClient(row), lastUsedAt: row.last_used_at };
}
