import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Client } from "./client.ts";

/** A client as lists show it. */
export interface ListedClient extends Client {
  /** The last time that it was authorized or got tokens; `null` when it never did. */
  readonly lastUsedAt: number | null;
}

/** Clients of every kind, found and listed. */
export interface ClientDirectory {
  find(instanceId: number, clientId: string): Promise<ListedClient | null>;
  /** Several clients; unknown ids are left out. */
  findAll(instanceId: number, clientIds: readonly string[]): Promise<ListedClient[]>;
  /** Part of the list of every client, as `CLIENT_LIST` says. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<ListedClient>>;
  /** The names of clients, by id, for ids in lists. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
