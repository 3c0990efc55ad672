import { createClient } from "gatehouse-client";
import { setTimeout as delay } from "node:timers/promises";
import { Failure, printable, reasonOf } from "../failure.ts";
import type { Permissions } from "../permissions.ts";
import type { Author } from "../source.ts";

/** A document as it is sent. */
export interface SentDocument {
  readonly id: string;
  readonly objectType: string;
  readonly title: string;
  readonly viewURL: string;
  readonly body: { readonly mimeType: string; readonly textContent: string };
  readonly summary?: string;
  readonly tags?: string[];
  readonly author?: Author;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly contentHash: string;
  readonly permissions: Permissions;
}

export interface ServiceOptions {
  readonly url: string;
  readonly token: string;
  readonly datasource: string;
  /** Instead of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** How long to wait before the first repetition of a request, in milliseconds. */
  readonly patience?: number;
}

/** A request that the service refused because of what it contains. */
export class Refused extends Error {}

/** How often a request is sent, if the service is busy or can't be reached: for about a minute. */
const ATTEMPTS = 7;

interface Answer<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The Indexing API for one datasource. */
export class Service {
  readonly #client;
  readonly #datasource: string;
  readonly #patience: number;

  constructor({ url, token, datasource, fetch, patience = 1000 }: ServiceOptions) {
    this.#client = createClient({ baseUrl: url, token, ...(fetch && { fetch }) });
    this.#datasource = datasource;
    this.#patience = patience;
  }

  /** Returns the hashes of the documents that the datasource has, by id; `undefined`: sent without a hash. */
  async list(): Promise<Map<string, string | undefined>> {
    const hashes = new Map<string, string | undefined>();
    for (let after: string | undefined, hasMore = true; hasMore; ) {
      const body = { datasource: this.#datasource, ...(after !== undefined && { after }) };
      const page = await this.#ask(() => this.#client.POST("/rest/api/index/listdocuments", { body }));
      for (const { id, contentHash } of page.documents) hashes.set(id, contentHash);
      after = page.documents.at(-1)?.id;
      hasMore = page.hasMore && after !== undefined;
    }
    return hashes;
  }

  /** Stores documents, all or none. @returns the service's warnings @throws {Refused} if one of them is not acceptable */
  async put(documents: readonly SentDocument[]): Promise<readonly string[]> {
    const body = { datasource: this.#datasource, documents: [...documents] };
    const { warnings = [] } = await this.#ask(() => this.#client.POST("/rest/api/index/indexdocuments", { body }));
    return warnings.map(({ path, message }) => {
      const [, at] = /^documents\W(\d+)/.exec(path) ?? [];
      return printable(`${documents[Number(at)]?.id ?? path}: ${message}`);
    });
  }

  async remove(id: string): Promise<void> {
    const body = { datasource: this.#datasource, id };
    await this.#ask(() => this.#client.POST("/rest/api/index/deletedocument", { body }));
  }

  /** Sends a request until it is answered. Repeating one is safe: each sets or removes. */
  async #ask<Data>(send: () => Promise<Answer<Data>>): Promise<Data> {
    let problem = "";
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      let pause = this.#patience * 2 ** attempt;
      try {
        const { data, error, response } = await send();
        if (data !== undefined) return data;
        problem = problemOf(error, response);
        if (response.status === 400 || response.status === 413) throw new Refused(problem);
        if (response.status !== 429 && response.status < 500) throw new Failure(problem);
        pause = Math.max(pause, Math.min(Number(response.headers.get("Retry-After")) || 0, 60) * this.#patience);
      } catch (error) {
        if (error instanceof Refused || error instanceof Failure) throw error;
        problem = `The service can't be reached: ${reasonOf((error as Error).cause ?? error)}`;
      }
      if (attempt < ATTEMPTS - 1) await delay(pause);
    }
    throw new Failure(problem);
  }
}

function problemOf(error: unknown, { status }: Response): string {
  const { message, requestId } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  const said = typeof message === "string" ? printable(message).slice(0, 300) : "no reason";
  const hint = {
    401: " Check GATEHOUSE_TOKEN: it needs the scope documents:<datasource>, and must not have expired.",
    404: " Check the address of the instance (--to).",
  }[status];
  return `The service answered ${status}: ${said}${typeof requestId === "string" ? ` (request ${requestId})` : ""}.${hint ?? ""}`;
}
