import type { DescribedDocument } from "#client-api/document-answer.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";

const SPECS_MAX = 100;

/** Of the texts of one answer, which is made in memory. */
const CONTENT_BYTES_MAX = 8_000_000;

const specSchema = v.union(
  [v.object({ id: v.pipe(v.string(), v.maxLength(300)) }), v.object({ url: v.pipe(v.string(), v.maxLength(2000)) })],
  "an object with an id or a url",
);

/** The part of a request (wire contract, POST /getdocuments) that is understood. Other members and fields are ignored. */
export const requestSchema = v.object({
  documentSpecs: v.pipe(v.array(specSchema), v.maxLength(SPECS_MAX)),
  includeFields: v.optional(v.array(v.string()), []),
});

/** Which document is meant. */
export type DocumentName = { readonly datasource: string; readonly externalId: string } | { readonly url: string };

export interface DocumentRequest {
  readonly instanceId: number;
  readonly personId: string;
  readonly names: readonly DocumentName[];
  readonly withCustomData: boolean;
  readonly withContent: boolean;
  /** Beyond so many bytes of texts, none is read. */
  readonly contentBytesMax: number;
}

export interface NamedDocument extends DescribedDocument {
  /** Which of the names it answers. */
  readonly position: number;
  readonly content: string | null;
}

export interface VisibleDocuments {
  /** Those of the named documents that the person may see: one statement. */
  read(request: DocumentRequest): Promise<NamedDocument[]>;
}

/** What was asked for, in the words it was asked in, and what there is. */
export interface DocumentsPage {
  readonly withContent: boolean;
  readonly entries: readonly { readonly spec: string; readonly document: NamedDocument | undefined }[];
}

/** Documents by their names, as one person sees them: one that they may not see is as absent as one that does not exist. */
export class GetDocuments {
  readonly #documents: VisibleDocuments;

  constructor(documents: VisibleDocuments) {
    this.#documents = documents;
  }

  /** @throws {ApiError} `bad_request`, naming the member that is wrong; `request_too_large` for too much text at once */
  async get(instanceId: number, personId: string, body: Readonly<Record<string, unknown>>): Promise<DocumentsPage> {
    const parsed = v.safeParse(requestSchema, body, { abortEarly: true });
    if (!parsed.success) {
      throw new ApiError("bad_request", {
        reason: "document_request_malformed",
        description: `${v.getDotPath(parsed.issues[0]) ?? "body"} is not acceptable: ${parsed.issues[0].message}`,
      });
    }
    const { documentSpecs, includeFields } = parsed.output;
    const specs = documentSpecs.map((spec) => ("id" in spec ? spec.id : spec.url));
    const withContent = includeFields.includes("DOCUMENT_CONTENT");
    const found = await this.#documents.read({
      instanceId,
      personId,
      names: documentSpecs.map((spec) => ("id" in spec ? nameOf(spec.id) : spec)),
      withCustomData: includeFields.includes("CUSTOM_METADATA"),
      withContent,
      contentBytesMax: CONTENT_BYTES_MAX,
    });
    if (withContent && found.some((document) => document.content === null)) {
      throw new ApiError("request_too_large", {
        reason: "contents_too_large",
        description: `The documents' contents are more than ${CONTENT_BYTES_MAX} bytes together: ask for fewer at a time`,
      });
    }
    const byPosition = new Map(found.map((document) => [document.position, document]));
    return { withContent, entries: specs.map((spec, position) => ({ spec, document: byPosition.get(position) })) };
  }
}

/** The first colon ends the datasource: no datasource's name has one, ids may. */
function nameOf(id: string): DocumentName {
  const colon = Math.max(id.indexOf(":"), 0);
  return { datasource: id.slice(0, colon).toLowerCase(), externalId: id.slice(colon + 1) };
}
