import type { InstanceRecord } from "#instance/instances.ts";
import { search } from "./app-client.ts";
import { issueIndexingToken, ORIGIN, send } from "./world.ts";

/** A document as the Indexing API accepts it. */
export interface DraftDocument {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** Drafts a document that everyone in the organisation may see, unless the changes say otherwise. */
export function draft(id: string, changes: Readonly<Record<string, unknown>> = {}): DraftDocument {
  return {
    id,
    datasource: "wiki",
    title: `Title of ${id}`,
    viewURL: `https://wiki.acme.example/${encodeURIComponent(id)}`,
    permissions: { allowAnonymousAccess: true },
    ...changes,
  };
}

/** Pushes documents with its own token. */
export class Pipeline {
  readonly token: string;
  readonly origin: string;

  constructor(token: string, origin = ORIGIN) {
    this.token = token;
    this.origin = origin;
  }

  static async of(instance: InstanceRecord, scope = "documents:global_scope", origin = ORIGIN): Promise<Pipeline> {
    return new Pipeline(await issueIndexingToken(instance, scope), origin);
  }

  /** Posts to the Indexing API, and returns the response even if it is an error. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return send(`${this.origin}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.token}`, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** @throws unless all documents were accepted */
  async index(...documents: DraftDocument[]): Promise<void> {
    const response = await this.post("/rest/api/index/indexdocuments", { documents });
    if (response.status !== 200) throw new Error(`indexing answered ${response.status}: ${await response.text()}`);
  }
}

export interface SearchAnswer {
  readonly results: {
    readonly url: string;
    readonly title: string;
    readonly document: {
      readonly id: string;
      readonly metadata: {
        readonly customData?: Readonly<Record<string, unknown>>;
        readonly author?: { readonly obfuscatedId: string };
      };
    };
    readonly snippets: { readonly text: string; readonly ranges: { startIndex: number; endIndex: number }[] }[];
  }[];
  readonly facetResults?: {
    readonly sourceName: string;
    readonly operatorName: string;
    readonly buckets: readonly { readonly count: number; readonly value: { readonly stringValue: string } }[];
    readonly hasMoreBuckets: boolean;
  }[];
  readonly cursor?: string;
  readonly hasMoreResults: boolean;
  readonly metadata: { readonly searchedQuery: string; readonly missingWords?: readonly string[] };
}

/** Searches with a token. @throws if the search is refused */
export async function searchAnswer(token: string, body: Record<string, unknown>, origin = ORIGIN) {
  const response = await search(token, body, {}, origin);
  if (response.status !== 200) throw new Error(`search answered ${response.status}: ${await response.text()}`);
  return response.json<SearchAnswer>();
}

/** Returns the ids of all documents that a query finds with the token, without their datasource, sorted. */
export async function found(token: string, query: string, origin = ORIGIN): Promise<string[]> {
  const { results } = await searchAnswer(token, { query, pageSize: 100 }, origin);
  return results.map((result) => result.document.id.replace(/^[^:]*:/, "")).sort();
}
