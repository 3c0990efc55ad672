import { requestLocally } from "./local-request.ts";
import type { SampleDocument } from "./sample.ts";

const BATCH_DOCUMENTS_MAX = 50;
const BATCH_BYTES_MAX = 1_000_000;

export interface IndexingTarget {
  readonly baseUrl: string;
  /** A service-issued token of the Indexing API whose scope covers the documents' datasources. */
  readonly token: string;
}

/**
 * Pushes documents through the Indexing API, as any pipeline would. Indexing a document again replaces it.
 *
 * @throws with the status, the reason and the request id of the first response that is not 200.
 */
export async function indexDocuments(
  { baseUrl, token }: IndexingTarget,
  documents: readonly SampleDocument[],
  onProgress: (indexed: number) => void,
): Promise<void> {
  const url = `${baseUrl}/rest/api/index/indexdocuments`;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  let indexed = 0;
  for (const batch of batches(documents)) {
    const body = JSON.stringify({ documents: batch });
    const { status, text } = await requestLocally(url, { method: "POST", headers, body });
    if (status !== 200) throw new Error(`The Indexing API answered ${status} to POST ${url}. ${reasonIn(text)}`);
    indexed += batch.length;
    onProgress(indexed);
  }
}

function* batches(documents: readonly SampleDocument[]): Generator<SampleDocument[]> {
  let batch: SampleDocument[] = [];
  let bytes = 0;
  for (const document of documents) {
    const documentBytes = Buffer.byteLength(JSON.stringify(document));
    if (batch.length === BATCH_DOCUMENTS_MAX || (batch.length > 0 && bytes + documentBytes > BATCH_BYTES_MAX)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(document);
    bytes += documentBytes;
  }
  if (batch.length > 0) yield batch;
}

function reasonIn(text: string): string {
  try {
    const { message, error, requestId } = JSON.parse(text) as Record<string, string | undefined>;
    return `${message ?? error ?? text}${requestId ? ` (request id ${requestId})` : ""}`;
  } catch {
    return text.slice(0, 500);
  }
}
