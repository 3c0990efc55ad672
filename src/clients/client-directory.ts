import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Client } from "./client.ts";

/** A client as lists show it. */
export interface ListedClient extends Client {
  /** When it was last authorized or got tokens; `null` if it never did. */
  readonly lastUsedAt: number | null;
}

/** Finds and lists clients of every kind. */
export interface ClientDirectory {
  find(instanceId: number, clientId: string): Promise<ListedClient | null>;
  /** Finds several clients; unknown ids are left out. */
  findAll(instanceId: number, clientIds: readonly string[]): Promise<ListedClient[]>;
  /** Returns one part of the list of all clients, filtered and sorted as `CLIENT_LIST` allows. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<ListedClient>>;
  /** Returns the names of clients by id, for lists that contain ids. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
