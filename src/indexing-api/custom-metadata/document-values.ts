import type { CustomMetadata, DocumentReference, KeyValues, ValuesOutcome } from "#documents/metadata/metadata.ts";
import type { GroupSchemas } from "#custom-metadata/group-schemas.ts";
import { type GroupName, metadataName, parseGroupName, repeatedName } from "#custom-metadata/names.ts";
import { closed } from "#platform/members.ts";
import { malformed, parseRequest } from "#indexing-api/vocabulary.ts";
import { ApiError } from "#protocol/errors.ts";
import { foldName, foldTerm } from "#protocol/folding.ts";
import { utf8Length } from "#protocol/utf8-length.ts";
import * as v from "valibot";

/** A schema that changes twice during one request is being edited. */
const ATTEMPTS_MAX = 3;

type Refusal = Exclude<ValuesOutcome, { readonly kind: "done" | "stale" }>;

/** A value is what people filter by or read next to a result. A longer text belongs in the document's body. */
const VALUE_BYTES_MAX = 10_000;

const LIST_ENTRIES_MAX = 100;

/** The most bytes of all values of one group on one document, which limits what one request makes the index do. */
const GROUP_BYTES_MAX = 32_000;

const valueText = v.pipe(v.string(), v.maxBytes(VALUE_BYTES_MAX, `a value has at most ${VALUE_BYTES_MAX} bytes`));

/** The values of one group on one document, as PUT has them (wire contract). */
export const documentValuesSchema = closed({
  customMetadata: v.array(
    closed({
      name: metadataName,
      value: v.union(
        [
          valueText,
          v.pipe(v.array(valueText), v.maxLength(LIST_ENTRIES_MAX, `a list has at most ${LIST_ENTRIES_MAX} values`)),
        ],
        `a value is a string, or an array of at most ${LIST_ENTRIES_MAX} strings, of at most ${VALUE_BYTES_MAX} bytes each`,
      ),
    }),
  ),
});

/** Writes the values that pipelines attach to documents. */
export class DocumentValues {
  readonly #documents: Pick<CustomMetadata, "putValues">;
  readonly #schemas: Pick<GroupSchemas, "require">;

  constructor(documents: Pick<CustomMetadata, "putValues">, schemas: Pick<GroupSchemas, "require">) {
    this.#documents = documents;
    this.#schemas = schemas;
  }

  /**
   * Replaces all values of a group on a document. Values of other groups stay.
   *
   * @throws {ApiError} `bad_request` for a body that does not fit the group's schema, `not_found`
   */
  async replace(instanceId: number, documentId: string, groupName: string, body: unknown): Promise<void> {
    const group = parseGroupName(groupName);
    await this.#write(instanceId, documentId, group, parseDocumentValues(body));
  }

  /** Removes all values of a group from a document. It is no error if there are none. @throws {ApiError} `not_found` */
  async remove(instanceId: number, documentId: string, groupName: string): Promise<void> {
    await this.#write(instanceId, documentId, parseGroupName(groupName), []);
  }

  /**
   * Writes values. The documents refuse a schema that is older than theirs, so it is read again if it changed meanwhile.
   */
  async #write(instanceId: number, documentId: string, group: GroupName, values: readonly KeyValues[]): Promise<void> {
    const document = parseDocumentName(documentId);
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const schema = await this.#schemas.require(instanceId, group);
      const outcome = await this.#documents.putValues(instanceId, document, schema, values);
      if (outcome.kind === "done") return;
      if (outcome.kind !== "stale") throw refused(document, group, outcome);
    }
    throw new ApiError("conflict", {
      reason: "metadata_schema_changing",
      description: `The group ${group.display} is being changed: send the values again`,
      retryAfterSeconds: 1,
    });
  }
}

/**
 * Returns the values of a body as they are stored. An empty text or list is no value: the key is absent.
 *
 * @throws {ApiError} `bad_request`, naming the member that is wrong
 */
function parseDocumentValues(body: unknown): KeyValues[] {
  const { customMetadata } = parseRequest(documentValuesSchema, body);
  const repeated = repeatedName(customMetadata.map(({ name }) => name));
  if (repeated !== undefined) throw malformed(`customMetadata names ${repeated} twice: names do not differ by case`);
  const given = customMetadata.map(({ name, value }) => toKeyValues(name, value));
  const bytes = given.reduce((sum, { values }) => sum + utf8Length(values.join("")), 0);
  if (bytes > GROUP_BYTES_MAX) {
    throw malformed(`the values of a group on a document have at most ${GROUP_BYTES_MAX} bytes together`);
  }
  return given;
}

function toKeyValues(name: string, value: string | readonly string[]): KeyValues {
  const values = (typeof value === "string" ? [value] : value).map(visible).filter((text) => text !== "");
  return {
    name: foldTerm(name),
    display: name,
    isList: typeof value !== "string",
    values,
  };
}

/** Removes control characters and half characters from a text, and spaces around it. */
function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  const printable = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
  return printable.trim();
}

/** The first colon ends the datasource: names of datasources contain none, ids may. */
function parseDocumentName(whole: string): DocumentReference {
  const colon = whole.indexOf(":");
  return { whole, datasource: foldName(whole.slice(0, Math.max(colon, 0))), externalId: whole.slice(colon + 1) };
}

function refused(document: DocumentReference, group: GroupName, refusal: Refusal): ApiError {
  switch (refusal.kind) {
    case "no_document":
      return new ApiError("not_found", {
        reason: "metadata_document_unknown",
        description: "There is no such document: the address names it as <datasource>:<id>, percent-encoded",
      });
    case "several_documents":
      return malformed(`several datasources have a document ${document.whole}: name it as <datasource>:<id>`);
    case "unknown_key":
      return malformed(`the group ${group.display} has no key ${refusal.key}: add it to the group's schema first`);
    case "wrong_type":
      return malformed(`the value of ${refusal.key} is ${refusal.isListKey ? "an array of strings" : "one string"}`);
    case "too_large":
    default:
      return malformed(
        "the custom metadata of the document is too large: shorten the values, or remove another group's",
      );
  }
}
