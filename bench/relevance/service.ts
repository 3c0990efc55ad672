import { rm } from "node:fs/promises";
import { openLocalAdmin, runAdmin } from "../../scripts/admin.ts";
import { addressOf } from "../../scripts/local/acme.ts";
import { findFreePort } from "../../scripts/local/loopback.ts";
import { startWorker } from "../../scripts/local/worker-process.ts";
import { makeFolder } from "../../test/support/node/private-folder.ts";
import type { CollectionDocument } from "./collection.ts";

const INSTANCE = "acme";
const DATASOURCE = "collection";

/** The URL of a document begins with this and ends with its id. */
const ADDRESS = "https://collection.example/";

/** The most documents that one request accepts, and a number of characters that stays below its limit in bytes. */
const PAGE_DOCUMENTS = 100;
const PAGE_CHARACTERS = 1_000_000;

/** The Worker as `npm start` runs it, with its own database, used only through its APIs. */
export class RelevanceService {
  readonly #url: string;
  readonly #indexing: string;
  readonly #readers: ReadonlyMap<string, string>;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, indexing: string, readers: ReadonlyMap<string, string>, stop: () => Promise<void>) {
    this.#url = url;
    this.#indexing = indexing;
    this.#readers = readers;
    this.#stop = stop;
  }

  /**
   * @param people who will search, by email
   * @param shards the number of objects that the documents are in; one by default
   */
  static async start(people: readonly string[], shards?: string): Promise<RelevanceService> {
    const folder = await makeFolder();
    const run = async (admin: ReturnType<typeof openLocalAdmin>, line: string) =>
      String((await runAdmin(line.split(" "), { ...admin, print: () => undefined }))["secret"]);
    const database = openLocalAdmin(folder);
    try {
      for (const line of ["schema apply", `instance create ${INSTANCE} --admin ${people[0]}`])
        await run(database, line);
    } finally {
      await database.dispose();
    }
    const port = await findFreePort();
    const worker = startWorker({ port, https: false, folder });
    const stop = async () => {
      await worker.stop();
      await rm(folder, { recursive: true, force: true });
    };
    try {
      await worker.ready();
      const admin = openLocalAdmin(folder, addressOf(worker.baseUrl));
      const indexing = await run(
        admin,
        `token create ${INSTANCE} --kind indexing --scope documents:${DATASOURCE} --expires-in-days 1 --name pipeline`,
      );
      if (shards !== undefined) await run(admin, `documents move ${INSTANCE} --to shards:${shards} --wait --yes`);
      const readers = new Map<string, string>();
      for (const person of people) {
        const token = `token create ${INSTANCE} --kind client-api --person ${person} --new-person --scope SEARCH --expires-in-days 1 --name reader`;
        readers.set(person, await run(admin, token));
      }
      return new RelevanceService(worker.baseUrl, indexing, readers, stop);
    } catch (error) {
      await stop();
      throw error;
    }
  }

  /** Puts a person into groups that only they are in. */
  async join(email: string, groups: readonly string[]): Promise<void> {
    for (const groupName of groups) {
      await this.#index("indexgroup", { datasource: DATASOURCE, group: { name: groupName } });
      await this.#index("indexmembership", { datasource: DATASOURCE, membership: { groupName, memberUserId: email } });
    }
  }

  /** @param groupsOf the groups that may see a document */
  async index(
    documents: readonly CollectionDocument[],
    groupsOf: (document: CollectionDocument) => readonly string[],
  ): Promise<void> {
    for (const page of pagesOf(documents)) {
      await this.#index("indexdocuments", {
        datasource: DATASOURCE,
        documents: page.map((document) => ({
          datasource: DATASOURCE,
          objectType: "Document",
          id: document.id,
          title: document.title || document.id,
          viewURL: ADDRESS + encodeURIComponent(document.id),
          body: { mimeType: "text/plain", textContent: document.text },
          permissions: { allowedGroups: groupsOf(document) },
        })),
      });
    }
  }

  /** Searches as a person. @returns ids, best first */
  async search(email: string, query: string, pageSize: number): Promise<string[]> {
    const { results } = await this.#post<{ results: { url: string }[] }>(
      "/rest/api/v1/search",
      this.#readers.get(email) ?? "",
      { query, pageSize },
    );
    return results.map(({ url }) => decodeURIComponent(url.slice(ADDRESS.length)));
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  #index(call: string, body: unknown): Promise<unknown> {
    return this.#post(`/rest/api/index/${call}`, this.#indexing, body);
  }

  async #post<Answer>(path: string, token: string, body: unknown): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return (text === "" ? null : JSON.parse(text)) as Answer;
  }
}

function* pagesOf(documents: readonly CollectionDocument[]): Generator<CollectionDocument[]> {
  let page: CollectionDocument[] = [];
  let characters = 0;
  for (const document of documents) {
    const more = document.title.length + document.text.length;
    if (page.length === PAGE_DOCUMENTS || (page.length > 0 && characters + more > PAGE_CHARACTERS)) {
      yield page;
      page = [];
      characters = 0;
    }
    page.push(document);
    characters += more;
  }
  if (page.length > 0) yield page;
}
