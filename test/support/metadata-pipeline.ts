import type { InstanceRecord } from "#instance/instances.ts";
import { draft, Pipeline } from "./pipeline.ts";
import { issueIndexingToken, send } from "./world.ts";

/** A key of a schema. */
export interface Key {
  readonly name: string;
  readonly propertyType: string;
  readonly skipIndexing?: boolean;
}

/** Describes metadata groups and attaches values to documents, with its own token. */
export class MetadataPipeline {
  readonly token: string;
  readonly origin: string;
  readonly #base: string;
  readonly #documents: Pipeline | undefined;

  constructor(token: string, origin: string, base = "/rest/api/index", documents?: Pipeline) {
    this.token = token;
    this.origin = origin;
    this.#base = base;
    this.#documents = documents;
  }

  static async of(instance: InstanceRecord, scope = "custommetadata:global_scope"): Promise<MetadataPipeline> {
    const origin = `http://${instance.name}.localhost`;
    const documents = await Pipeline.of(instance, "documents:global_scope", origin);
    return new MetadataPipeline(await issueIndexingToken(instance, scope), origin, undefined, documents);
  }

  /** Returns the same pipeline with another base of the API. */
  at(base: string): MetadataPipeline {
    return new MetadataPipeline(this.token, this.origin, base, this.#documents);
  }

  /**
   * Sends a call about a group's schema, and returns the response even if it is an error. @param group as it is in the path
   */
  schema(method: "PUT" | "GET" | "DELETE", group: string, body?: unknown): Promise<Response> {
    return this.#send(method, `/custom-metadata/schema/${group}`, body);
  }

  /**
   * Sends a call about a document's values, and returns the response even if it is an error. @param documentId not yet encoded
   */
  values(method: "PUT" | "DELETE", documentId: string, group: string, body?: unknown): Promise<Response> {
    return this.#send(method, `/document/${encodeURIComponent(documentId)}/custom-metadata/${group}`, body);
  }

  /** Sends values of a group for many documents, by their ids. */
  bulk(group: string, documents: Readonly<Record<string, Readonly<Record<string, unknown>>>>): Promise<Response> {
    return this.bulkRequest(group, {
      documents: Object.entries(documents).map(([id, values]) => ({
        id,
        customMetadata: Object.entries(values).map(([name, value]) => ({ name, value })),
      })),
    });
  }

  /** Sends any body of such a request. */
  bulkRequest(group: string, body: unknown): Promise<Response> {
    return this.#send("PUT", `/custom-metadata/values/${group}`, body);
  }

  /** @throws unless the schema was accepted */
  async describe(group: string, metadataKeys: readonly Key[]): Promise<void> {
    await requireTaken(await this.schema("PUT", group, { metadataKeys }));
  }

  /** @throws unless the values were accepted */
  async attach(documentId: string, group: string, values: Readonly<Record<string, unknown>>): Promise<void> {
    const customMetadata = Object.entries(values).map(([name, value]) => ({ name, value }));
    await requireTaken(await this.values("PUT", documentId, group, { customMetadata }));
  }

  /** Pushes a document that everyone in the organisation may see. */
  async index(id: string, changes: Readonly<Record<string, unknown>> = {}): Promise<void> {
    if (!this.#documents) throw new Error("this pipeline pushes no documents");
    await this.#documents.index(draft(id, changes));
  }

  /** Deletes a document of the wiki. */
  async remove(id: string): Promise<void> {
    if (!this.#documents) throw new Error("this pipeline pushes no documents");
    await requireTaken(await this.#documents.post("/rest/api/index/deletedocument", { datasource: "wiki", id }));
  }

  #send(method: string, path: string, body?: unknown): Promise<Response> {
    return send(this.origin + this.#base + path, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  }
}

async function requireTaken(response: Response): Promise<void> {
  if (response.status !== 200) throw new Error(`the answer is ${response.status}: ${await response.text()}`);
}
