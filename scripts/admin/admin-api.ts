import { UsageError } from "./failures.ts";

/** The `ETag` of what was read; `null` if nothing was there. */
export type Version = string | null;

/** A response of the Admin API, and the version of what it read. */
export interface AdminAnswer {
  readonly body: unknown;
  readonly version: Version | undefined;
}

/**
 * Sends one call of the Admin API.
 *
 * @param version the version that was read: if it has changed since, the API changes nothing
 * @throws {AdminApiRefused} with the Worker's message, if it refuses
 */
export type SendCall = (method: string, path: string, body?: unknown, version?: Version) => Promise<AdminAnswer>;

/** The Admin API responded with an error. */
export class AdminApiRefused extends UsageError {
  readonly status: number;
  /** The member or parameter that the error is about. */
  readonly field: string | undefined;

  constructor(message: string, status: number, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}

/** Returns the headers that make a change conditional: it happens only if what was read is unchanged. */
export function conditionOf(version: Version | undefined): Record<string, string> {
  if (version === undefined) return {};
  return version === null ? { "If-None-Match": "*" } : { "If-Match": version };
}

/** A response that says whether there was something to do. */
export interface Changed {
  readonly changed: boolean;
}

/** A whole list. */
export interface List<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** The most items in a page of the API. */
const PAGE_ITEMS = 500;

/** The Admin API of one instance. */
export class AdminApi {
  readonly instance: string;
  /** The instance's own address, which requests go to. */
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

  /** Reads something that may not exist. */
  async find(path: string): Promise<AdminAnswer> {
    try {
      return await this.send("GET", path);
    } catch (error) {
      if (error instanceof AdminApiRefused && error.status === 404) return { body: undefined, version: null };
      throw error;
    }
  }

  /** Yields all items of a list, page by page. @param query how to filter and sort it */
  async *items<Item>(path: string, query: Readonly<Record<string, string>> = {}): AsyncGenerator<Item> {
    for await (const page of this.#pages<Item>(path, query)) yield* page.items;
  }

  /** Returns {@link items} all at once. */
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
