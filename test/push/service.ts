import type { SentDocument } from "../../clients/push/sync/service.ts";

/**
 * The three calls of the Indexing API that the tool uses, in memory. test/push/running.test.ts pushes to the real ones.
 */
export class ServiceInMemory {
  readonly documents = new Map<string, SentDocument>();
  /** The calls, and how many documents they had. */
  readonly calls: string[] = [];
  /** Ids that are refused, as the service refuses what is not acceptable. */
  readonly refused = new Set<string>();
  /** Responses that come before the next calls are answered. */
  readonly failures: (() => Response)[] = [];

  readonly fetch = async (request: Request): Promise<Response> => {
    const call = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const body = (await request.json()) as { id: string; after?: string; documents: SentDocument[] };
    const failure = this.failures.shift();
    if (failure) return failure();
    this.calls.push(call === "indexdocuments" ? `${call} ${body.documents.length}` : call);
    if (call === "listdocuments") {
      const ids = [...this.documents.keys()].toSorted().filter((id) => id > (body.after ?? ""));
      const documents = ids.slice(0, 3).map((id) => ({ id, contentHash: this.documents.get(id)?.contentHash }));
      return Response.json({ documents, hasMore: ids.length > 3 });
    }
    if (call === "deletedocument") this.documents.delete(body.id);
    else {
      const at = body.documents.findIndex(({ id }) => this.refused.has(id));
      if (at >= 0)
        return Response.json({ error: "bad_request", message: `documents[${at}] is not acceptable` }, { status: 400 });
      for (const document of body.documents) this.documents.set(document.id, document);
    }
    return Response.json({ success: true });
  };

  get ids(): string[] {
    return [...this.documents.keys()].toSorted();
  }
}
