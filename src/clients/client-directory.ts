import type { ListPage, ListQuery } from "#platform/listing.ts";
import type { Client } from "./client.ts";

/** Registration is open to the world, so lists are read a page at a time. */
const CLIENTS_PER_PAGE = 50;

/** The lists that administrators read: clients they made, clients that wait for approval, all others; or every one there is. */
export type ClientList = "made" | "waiting" | "registered" | "all";

/** A client as lists show it. */
export interface ListedClient extends Client {
  /** The last time that it was authorized or got tokens; `null` when it never did. */
  readonly lastUsedAt: number | null;
}

/** A client's place in a list, which is ordered by when they came. */
export interface ClientPlace {
  readonly createdAt: number;
  readonly id: string;
}

export interface ClientDirectoryReader {
  find(instanceId: number, clientId: string): Promise<ListedClient | null>;
  /**
   * Clients of a list, newest first.
   *
   * @param words what their name, id or redirect URIs contain; the empty text is everywhere
   * @param after where the page before ended; `null` begins
   */
  page(
    instanceId: number,
    list: ClientList,
    words: string,
    after: ClientPlace | null,
    limit: number,
  ): Promise<ListedClient[]>;
  /** Part of the list of every client, as `CLIENT_LIST` says. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<ListedClient>>;
  /** The names of clients, by id. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface ClientPage {
  readonly clients: readonly ListedClient[];
  /** Where the next page goes on; absent on the last one. */
  readonly next: string | undefined;
}

/** Clients of every kind, found and listed. */
export class ClientDirectory {
  readonly #reader: ClientDirectoryReader;

  constructor(reader: ClientDirectoryReader) {
    this.#reader = reader;
  }

  find(instanceId: number, clientId: string): Promise<ListedClient | null> {
    return this.#reader.find(instanceId, clientId);
  }

  /** Part of the list of every client, as `CLIENT_LIST` says. */
  list(instanceId: number, query: ListQuery): Promise<ListPage<ListedClient>> {
    return this.#reader.list(instanceId, query);
  }

  /** The names of clients, for ids that stand in lists. */
  namesOf(instanceId: number, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.#reader.namesOf(instanceId, ids);
  }

  /** One page of a list. @param after the `next` of the page before; anything else begins at the newest */
  async page(instanceId: number, list: ClientList, words = "", after = ""): Promise<ClientPage> {
    const found = await this.#reader.page(instanceId, list, words, parsePlace(after), CLIENTS_PER_PAGE + 1);
    const clients = found.slice(0, CLIENTS_PER_PAGE);
    const last = clients.at(-1);
    return { clients, next: found.length > clients.length && last ? `${last.createdAt}.${last.id}` : undefined };
  }
}

function parsePlace(text: string): ClientPlace | null {
  const [, createdAt, id] = /^(\d{1,12})\.(.+)$/.exec(text) ?? [];
  return createdAt === undefined || id === undefined ? null : { createdAt: Number(createdAt), id };
}
