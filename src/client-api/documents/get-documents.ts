import type { AppAccess, ContentPolicy, Reader } from "#app-access/app-access.ts";
import { canonicalUrl, nameOfId } from "#documents/document-name.ts";
import type { DocumentEngine, DocumentName, NamedDocument } from "#documents/engine.ts";
import { ApiError } from "#protocol/errors.ts";
import { readable } from "#documents/words.ts";
import { describeIssue } from "#platform/members.ts";
import * as v from "valibot";
import { type ContentPart, partEntries, partOf } from "./content-part.ts";

const SPECS_MAX = 100;

/** The most bytes of text in one response, which is built in memory. */
const CONTENT_BYTES_MAX = 8_000_000;

const specSchema = v.union(
  [v.object({ id: v.pipe(v.string(), v.maxLength(2000)) }), v.object({ url: v.pipe(v.string(), v.maxLength(2000)) })],
  "an object with an id or a url",
);

/** The supported part of a request (wire contract, POST /getdocuments). Other members and fields are ignored. */
export const requestSchema = v.object({
  documentSpecs: v.pipe(v.array(specSchema), v.maxLength(SPECS_MAX)),
  includeFields: v.optional(v.array(v.string()), []),
  /** Without it, the whole text is returned. */
  contentPart: v.optional(v.object(partEntries), {}),
});

export interface RequestedDocument {
  /** The id or URL by which it was requested. */
  readonly spec: string;
  readonly document: NamedDocument | undefined;
  /** `null`: no text was requested. */
  readonly part: ContentPart | null;
}

/**
 * Reads documents by id or URL, as one person sees them: a document that they may not see, or their app may not search, looks like one
 * that doesn't exist.
 */
export class GetDocuments {
  readonly #documents: Pick<DocumentEngine, "read">;
  readonly #people: Pick<AppAccess, "seerOf">;

  constructor(documents: Pick<DocumentEngine, "read">, people: Pick<AppAccess, "seerOf">) {
    this.#documents = documents;
    this.#people = people;
  }

  /** @throws {ApiError} `bad_request`, naming the member that is wrong; `request_too_large` for too much text at once */
  async get(
    policy: ContentPolicy,
    reader: Reader,
    body: Readonly<Record<string, unknown>>,
  ): Promise<RequestedDocument[]> {
    const parsed = v.safeParse(requestSchema, body, { abortEarly: true });
    if (!parsed.success) {
      throw new ApiError("bad_request", {
        reason: "document_request_malformed",
        description: describeIssue(parsed.issues[0], "body"),
      });
    }
    const { documentSpecs, includeFields, contentPart } = parsed.output;
    const specs = documentSpecs.map((spec) => ("id" in spec ? spec.id : spec.url));
    const withContent = includeFields.includes("DOCUMENT_CONTENT");
    const names = documentSpecs.map((spec) => ("id" in spec ? nameOfId(spec.id) : { url: canonicalUrl(spec.url) }));
    const customData = includeFields.includes("CUSTOM_METADATA");
    const wanted = { customData, content: withContent, contentBytesMax: CONTENT_BYTES_MAX };
    const seer = await this.#people.seerOf(policy, reader);
    const read = async (some: readonly DocumentName[]) =>
      seer && some.length > 0 ? await this.#documents.read(policy.instanceId, some, seer, wanted) : [];
    const found = [...(await read(names))];
    // Results and citations have the URL of a section.
    const sections = names.flatMap((name, position) => {
      const isFound = found.some((document) => document.position === position);
      return "url" in name && name.url.includes("#") && !isFound
        ? [{ position, url: name.url.replace(/#.*/s, "") }]
        : [];
    });
    for (const document of await read(sections.map(({ url }) => ({ url })))) {
      found.push({ ...document, position: sections[document.position]?.position ?? -1 });
    }
    if (withContent && found.some((document) => document.content === null)) {
      throw new ApiError("request_too_large", {
        reason: "contents_too_large",
        description: `The documents' contents exceed ${CONTENT_BYTES_MAX} bytes together: request fewer at a time`,
      });
    }
    const byPosition = new Map(found.map((document) => [document.position, document]));
    return specs.map((spec, position) => {
      const document = byPosition.get(position);
      const content = document?.content;
      return { spec, document, part: typeof content === "string" ? partOf(readable(content), contentPart) : null };
    });
  }

  /** Reads one document with everything that people see of it; `undefined`: it doesn't exist, or the person may not see it. */
  async one(policy: ContentPolicy, reader: Reader, name: DocumentName): Promise<NamedDocument | undefined> {
    const seer = await this.#people.seerOf(policy, reader);
    const wanted = { customData: true, content: true, contentBytesMax: CONTENT_BYTES_MAX };
    const [document] = seer ? await this.#documents.read(policy.instanceId, [name], seer, wanted) : [];
    return document;
  }
}
