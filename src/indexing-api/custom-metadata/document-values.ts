import { nameOfId } from "#documents/document-name.ts";
import type { CustomMetadata, KeyValues, ValuesOfDocument, ValuesOutcome } from "#documents/metadata/metadata.ts";
import type { GroupDirectory } from "#custom-metadata/group-directory.ts";
import { type GroupName, metadataName, parseGroupName, repeatedName } from "#custom-metadata/names.ts";
import { closed } from "#platform/members.ts";
import { documentReference, malformed, parseRequest } from "#indexing-api/vocabulary.ts";
import { ApiError } from "#protocol/errors.ts";
import { foldTerm } from "#protocol/folding.ts";
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

const customMetadata = v.array(
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
);

type GivenValues = v.InferOutput<typeof customMetadata>;

/** The values of one group on one document, as PUT has them (wire contract). */
export const documentValuesSchema = closed({ customMetadata });

const DOCUMENTS_MAX = 500;

/** The same for many documents. */
export const bulkValuesSchema = closed({
  documents: v.pipe(
    v.array(closed({ id: documentReference, customMetadata })),
    v.maxLength(DOCUMENTS_MAX, `at most ${DOCUMENTS_MAX} documents: send the others in another request`),
  ),
});

/** What became of one document of a bulk request, with the error that a request about it alone would get. */
export type BulkResult =
  | { readonly id: string; readonly success: true }
  | { readonly id: string; readonly success: false; readonly error: string; readonly message: string };

/** Writes the values that pipelines attach to documents. */
export class DocumentValues {
  readonly #documents: Pick<CustomMetadata, "putValues">;
  readonly #groups: Pick<GroupDirectory, "schemaOf">;

  constructor(documents: Pick<CustomMetadata, "putValues">, groups: Pick<GroupDirectory, "schemaOf">) {
    this.#documents = documents;
    this.#groups = groups;
  }

  /**
   * Replaces all values of a group on a document. Values of other groups stay.
   *
   * @throws {ApiError} `bad_request` for a body that does not fit the group's schema, `not_found`
   */
  async replace(instanceId: number, documentId: string, groupName: string, body: unknown): Promise<void> {
    const group = parseGroupName(groupName);
    const { customMetadata: given } = parseRequest(documentValuesSchema, body);
    await this.#writeOne(instanceId, documentId, group, toValues(given, "customMetadata"));
  }

  /**
   * Replaces all values of a group on many documents. Documents that can't have their values don't stop the others.
   *
   * @returns what became of each document, in order
   * @throws {ApiError} `bad_request` for a malformed body, which changes nothing, `not_found` for the group
   */
  async replaceMany(instanceId: number, groupName: string, body: unknown): Promise<BulkResult[]> {
    const group = parseGroupName(groupName);
    const asked = parseBulk(body);
    const refusals = await this.#write(instanceId, group, asked);
    return asked.map(({ id }, at) => resultOf(id, group, refusals[at]));
  }

  /** Removes all values of a group from a document. It is no error if there are none. @throws {ApiError} `not_found` */
  async remove(instanceId: number, documentId: string, groupName: string): Promise<void> {
    await this.#writeOne(instanceId, documentId, parseGroupName(groupName), []);
  }

  async #writeOne(instanceId: number, documentId: string, group: GroupName, values: readonly KeyValues[]) {
    const [refusal] = await this.#write(instanceId, group, [{ document: nameOfId(documentId), values }]);
    if (refusal) throw refused(documentId, group, refusal);
  }

  /**
   * Writes with a group's schema. The documents refuse one that is older than theirs, so it is read again if it changed meanwhile.
   *
   * @returns for each document why it can't have its values; `undefined`: it has them
   */
  async #write(
    instanceId: number,
    group: GroupName,
    asked: readonly ValuesOfDocument[],
  ): Promise<(Refusal | undefined)[]> {
    const outcomes = new Map<ValuesOfDocument, Refusal | undefined>();
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const documents = asked.filter((one) => !outcomes.has(one));
      const schema = await this.#groups.schemaOf(instanceId, group);
      const found = await this.#documents.putValues(instanceId, { group: schema, documents });
      for (const [at, one] of documents.entries()) {
        const outcome = found[at] ?? { kind: "stale" };
        if (outcome.kind !== "stale") outcomes.set(one, outcome.kind === "done" ? undefined : outcome);
      }
      if (outcomes.size === asked.length) return asked.map((one) => outcomes.get(one));
    }
    throw new ApiError("conflict", {
      reason: "metadata_schema_changing",
      description: `The group ${group.display} is being changed: send the values again`,
      retryAfterSeconds: 1,
    });
  }
}

/** @throws {ApiError} `bad_request`, naming the member that is wrong */
function parseBulk(body: unknown): (ValuesOfDocument & { readonly id: string })[] {
  const { documents } = parseRequest(bulkValuesSchema, body);
  const seen = new Set<string>();
  return documents.map(({ id, customMetadata: given }, at) => {
    if (seen.size === seen.add(id).size) throw malformed(`documents[${at}].id names a document for the second time`);
    return { id, document: nameOfId(id), values: toValues(given, `documents[${at}].customMetadata`) };
  });
}

/**
 * Returns values as they are stored. An empty text or list is no value: the key is absent.
 *
 * @param at the path of the member
 * @throws {ApiError} `bad_request`, naming the member that is wrong
 */
function toValues(given: GivenValues, at: string): KeyValues[] {
  const repeated = repeatedName(given.map(({ name }) => name));
  if (repeated !== undefined) throw malformed(`${at} names ${repeated} twice: names do not differ by case`);
  const values = given.map(({ name, value }) => toKeyValues(name, value));
  const bytes = values.reduce((sum, one) => sum + utf8Length(one.values.join("")), 0);
  if (bytes > GROUP_BYTES_MAX) {
    throw malformed(`${at} has at most ${GROUP_BYTES_MAX} bytes of values together`);
  }
  return values;
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

function resultOf(id: string, group: GroupName, refusal: Refusal | undefined): BulkResult {
  if (!refusal) return { id, success: true };
  const { code, description } = refused(id, group, refusal);
  return { id, success: false, error: code, message: description };
}

function refused(id: string, group: GroupName, refusal: Refusal): ApiError {
  switch (refusal.kind) {
    case "no_document":
      return new ApiError("not_found", {
        reason: "metadata_document_unknown",
        description:
          "There is no such document: name it as <datasource>:<id>, percent-encoded in an address. An id with a colon needs its datasource",
      });
    case "several_documents":
      return malformed(`several datasources have a document ${id}: name it as <datasource>:<id>`);
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
