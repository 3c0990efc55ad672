import { malformed, parseRequest } from "#indexing-api/vocabulary.ts";
import { ApiError } from "#protocol/errors.ts";
import { foldTerm } from "#protocol/folding.ts";
import { indexable, wordsIn } from "#documents/words.ts";
import * as v from "valibot";
import { type GroupName, metadataName, noSuchGroup, parseGroupName, repeatedName } from "./names.ts";

/** A value is what people filter by or read beside a result; a text of this length belongs into the document's body. */
const VALUE_BYTES_MAX = 10_000;

const LIST_ENTRIES_MAX = 100;

/** All values of one group on one document: what one request makes the index work. */
const GROUP_BYTES_MAX = 32_000;

/** What all groups together add to a document in the index: with its texts it has to fit into one row of D1, which holds 2 MB. */
const DOCUMENT_BYTES_MAX = 128_000;

/** `f`, the digits of an id, a space. */
const FILTER_WORD_BYTES_MAX = 12;

const valueText = v.pipe(v.string(), v.maxBytes(VALUE_BYTES_MAX, `a value has at most ${VALUE_BYTES_MAX} bytes`));

/** The values of one group on one document, as they are put (wire contract). */
export const documentValuesSchema = v.object({
  customMetadata: v.array(
    v.object({
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

/** What a document gets under one key, whatever the key's type turns out to be. */
export interface KeyValues {
  readonly name: string;
  readonly display: string;
  readonly isList: boolean;
  /** As people read them. */
  readonly values: readonly string[];
  /** As free text finds them. */
  readonly text: string;
  /** As filters find them: whole, and by word. */
  readonly wholes: readonly string[];
  readonly words: readonly string[];
}

/** A document as a path names it: `<datasource>:<id>`, or the id alone. */
export interface DocumentName {
  readonly whole: string;
  readonly datasource: string;
  readonly externalId: string;
}

/** Why the store left everything as it was. */
export type ValuesRefusal =
  | { readonly kind: "no_document" | "several_documents" | "no_group" | "too_large" }
  | { readonly kind: "unknown_key"; readonly key: string }
  | { readonly kind: "wrong_type"; readonly key: string; readonly isListKey: boolean };

export interface DocumentValuesStore {
  /**
   * Replaces all values of the group on the document by these, or changes nothing: one transaction.
   *
   * @param bytes what the values add to the document in the index, at most
   * @param bytesMax what those of all groups may
   */
  replace(
    instanceId: number,
    document: DocumentName,
    group: GroupName,
    values: readonly KeyValues[],
    bytes: number,
    bytesMax: number,
  ): Promise<ValuesRefusal | undefined>;
}

/** The values that pipelines attach to documents. */
export class DocumentValues {
  readonly #store: DocumentValuesStore;

  constructor(store: DocumentValuesStore) {
    this.#store = store;
  }

  /**
   * Replaces all values of a group on a document; those of other groups stay.
   *
   * @throws {ApiError} `bad_request` for a body that does not fit the group's schema, `not_found`
   */
  async replace(instanceId: number, documentId: string, groupName: string, body: unknown): Promise<void> {
    const group = parseGroupName(groupName);
    await this.#write(instanceId, documentId, group, parseDocumentValues(body));
  }

  /**
   * Removes all values of a group from a document. Nothing to remove is no mistake.
   *
   * @throws {ApiError} `not_found`
   */
  async remove(instanceId: number, documentId: string, groupName: string): Promise<void> {
    await this.#write(instanceId, documentId, parseGroupName(groupName), []);
  }

  async #write(instanceId: number, documentId: string, group: GroupName, values: readonly KeyValues[]): Promise<void> {
    const document = parseDocumentName(documentId);
    const bytes = indexedBytes(values);
    const refusal = await this.#store.replace(instanceId, document, group, values, bytes, DOCUMENT_BYTES_MAX);
    if (refusal) throw refused(document, group, refusal);
  }
}

/**
 * The values of a body, as they are stored. An empty text and an empty list are no value: the key is absent.
 *
 * @throws {ApiError} `bad_request`, naming the member that is wrong
 */
function parseDocumentValues(body: unknown): KeyValues[] {
  const { customMetadata } = parseRequest(documentValuesSchema, body);
  const repeated = repeatedName(customMetadata.map(({ name }) => name));
  if (repeated !== undefined) throw malformed(`customMetadata names ${repeated} twice: names do not differ by case`);
  const given = customMetadata.map(({ name, value }) => toKeyValues(name, value));
  const bytes = given.reduce((sum, { values }) => sum + byteLength(values.join("")), 0);
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
    text: values.map(indexable).join("\n"),
    wholes: [...new Set(values.map(foldTerm))],
    words: [...new Set(values.flatMap(wordsIn))],
  };
}

/** Text without control characters and half characters: the index marks what it found with two of the former. */
function visible(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is removed
  const printable = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
  return printable.trim();
}

function indexedBytes(values: readonly KeyValues[]): number {
  return values.reduce(
    (sum, { text, wholes, words }) => sum + byteLength(text) + FILTER_WORD_BYTES_MAX * (wholes.length + words.length),
    0,
  );
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The first colon ends the datasource: no datasource's name has one, ids may. */
function parseDocumentName(whole: string): DocumentName {
  const colon = whole.indexOf(":");
  return { whole, datasource: whole.slice(0, Math.max(colon, 0)).toLowerCase(), externalId: whole.slice(colon + 1) };
}

function refused(document: DocumentName, group: GroupName, refusal: ValuesRefusal): ApiError {
  switch (refusal.kind) {
    case "no_document":
      return new ApiError("not_found", {
        reason: "metadata_document_unknown",
        description: "There is no such document: the address names it as <datasource>:<id>, percent-encoded",
      });
    case "several_documents":
      return malformed(`several datasources have a document ${document.whole}: name it as <datasource>:<id>`);
    case "no_group":
      return noSuchGroup(group);
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
