import { UsageError } from "./failures.ts";

/** What was read, as its `ETag`; `null`: that there is nothing. */
export type Version = string | null;

/** What the Admin API answered, and the version of what it read. */
export interface AdminAnswer {
  readonly body: unknown;
  readonly version: Version | undefined;
}

/**
 * Sends one call of the Admin API.
 *
 * @param version what was read: if it has changed since, nothing is done
 * @throws {AdminApiRefused} with what the Worker says, where it refuses
 */
export type SendCall = (method: string, path: string, body?: unknown, version?: Version) => Promise<AdminAnswer>;

/** The Admin API answered with an error. */
export class AdminApiRefused extends UsageError {
  readonly status: number;
  /** The member or parameter that it is about. */
  readonly field: string | undefined;

  constructor(message: string, status: number, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** The headers by which a change is made only where what was read is still so. */
export function conditionOf(version: Version | undefined): Record<string, string> {
  if (version === undefined) return {};
  return version === null ? { "If-None-Match": "*" } : { "If-Match": version };
}

/** An act that answers whether there was something to do. */
export interface Changed {
  readonly changed: boolean;
}

/** A whole list. */
export interface List<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** As many as a page of the API holds. */
const PAGE_ITEMS = 500;

/** The Admin API of one instance. */
export class AdminApi {
  readonly instance: string;
  /** Where it is asked: the instance's own address. */
  readonly origin: string;
  readonly send: SendCall;

  constructor(instance: string, origin: string, send: SendCall) {
    this.instance = instance;
    this.origin = origin;
    this.send = send;
  }

  /** @param path below the API's base; see {@link at} */
  async call<Answer>(method: string, path: string, body?: unknown, version?: Version): Promise<Answer> {
    return (await this.send(method, path, body, version)).body as Answer;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.call("GET", path);
  }

  /** Reads what may not be there. */
  async find(path: string): Promise<AdminAnswer> {
    try {
      return await this.send("GET", path);
    } catch (error) {
      if (error instanceof AdminApiRefused && error.status === 404) return { body: undefined, version: null };
      throw error;
    }
  }

  /** All items of a list, page by page. @param query what it is filtered and sorted by */
  async *items<Item>(path: string, query: Readonly<Record<string, string>> = {}): AsyncGenerator<Item> {
    for await (const page of this.#pages<Item>(path, query)) yield* page.items;
  }

  /** {@link items}, all at once. */
  async list<Item>(path: string, query: Readonly<Record<string, string>> = {}): Promise<List<Item>> {
    const items: Item[] = [];
    let total = 0;
    for await (const page of this.#pages<Item>(path, query)) {
      items.push(...page.items);
      total = page.total;
    }
    return { items, total };
  }

  async *#pages<Item>(path: string, query: Readonly<Record<string, string>>) {
    const parameters = new URLSearchParams({ limit: String(PAGE_ITEMS), ...query });
    for (let cursor: string | null = ""; cursor !== null; ) {
      if (cursor !== "") parameters.set("cursor", cursor);
      const page: List<Item> & { readonly nextCursor: string | null } = await this.get(
        `${path}?${parameters.toString()}`,
      );
      yield page;
      cursor = page.nextCursor;
    }
  }
}

/** A path whose variable parts are percent-encoded. */
export function at(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return String.raw({ raw: texts }, ...parts.map(encodeURIComponent));
}
