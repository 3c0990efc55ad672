import type { Keyring } from "#crypto/keyring.ts";
import type { CustomValue, DescribedDocument } from "#documents/engine.ts";
import { readable } from "#documents/words.ts";

/** Names authors without telling their addresses, which are not everyone's to read. */
export class AuthorIds {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /** The same for one address until the master key changes. Without that key no address can be tried against it. */
  async of(email: string): Promise<string> {
    return (await this.#keyring.mac("author-id", email)).slice(0, AUTHOR_ID_LENGTH);
  }
}

/** Base64url characters: far beyond any collision. */
const AUTHOR_ID_LENGTH = 22;

/** A document in the shape of the wire contract, wherever the Client API answers with one. */
export async function toDocumentAnswer(document: DescribedDocument, authorIds: AuthorIds) {
  const { datasource, objectType, url, createdAt, updatedAt, customData } = document;
  const title = readable(document.title);
  return {
    id: `${datasource}:${document.externalId}`,
    datasource,
    docType: objectType,
    title,
    url,
    metadata: {
      datasource,
      objectType,
      ...(createdAt === null ? {} : { createTime: isoTime(createdAt) }),
      ...(updatedAt === null ? {} : { updateTime: isoTime(updatedAt) }),
      ...(await toAuthor(document, authorIds)),
      ...(customData.length === 0 ? {} : { customData: Object.fromEntries(customData.map(toCustomValue)) }),
    },
  };
}

/** Clients expect name and id together or not at all. */
async function toAuthor({ authorName, authorEmail }: DescribedDocument, authorIds: AuthorIds) {
  if (authorName === null || authorEmail === null) return {};
  return { author: { name: authorName, obfuscatedId: await authorIds.of(authorEmail) } };
}

function toCustomValue({ key, isList, values }: CustomValue) {
  return [key, isList ? { stringListValue: values } : { stringValue: values[0] ?? "" }] as const;
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
