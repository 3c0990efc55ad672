import type { InstanceRecord } from "#instance/instances.ts";
import { search } from "./app-client.ts";
import { issueIndexingToken, ORIGIN, send } from "./world.ts";

/** A document as the Indexing API takes it. */
export interface DraftDocument {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** A document that everyone in the organisation may see, unless the changes say otherwise. */
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

/** Pushes documents with a token of its own. */
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

  /** Posts to the Indexing API; the answer, whatever it is. */
  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return send(`${this.origin}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.token}`, ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  /** @throws unless all documents were taken */
  async index(...documents: DraftDocument[]): Promise<void> {
    const response = await this.post("/api/index/v1/indexdocuments", { documents });
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

/** Searches as whoever holds the token. @throws when the search is refused */
export async function searchAnswer(token: string, body: Record<string, unknown>, origin = ORIGIN) {
  const response = await search(token, body, {}, origin);
  if (response.status !== 200) throw new Error(`search answered ${response.status}: ${await response.text()}`);
  return response.json<SearchAnswer>();
}

/** The ids of all documents that a query finds for whoever holds the token, without their datasource, sorted. */
export async function found(token: string, query: string, origin = ORIGIN): Promise<string[]> {
  const { results } = await searchAnswer(token, { query, pageSize: 100 }, origin);
  return results.map((result) => result.document.id.replace(/^[^:]*:/, "")).sort();
}
