import { isoTime } from "#platform/clock.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { CustomValue, DescribedDocument } from "#documents/engine.ts";
import { readable } from "#documents/words.ts";
import { BoundedMap } from "#platform/bounded-map.ts";

/** The most authors whose ids an isolate remembers. */
const AUTHORS_MAX = 1000;

/** Returns the id of an author, by their email address. */
export type AuthorIdOf = (email: string) => Promise<string>;

/**
 * Identifies authors without revealing their email addresses, which not everyone may read. Ids differ between instances:
 * otherwise, somebody who may send documents to one instance could find out who an author of another is, by trying addresses.
 */
export class AuthorIds {
  readonly #keyring: Keyring;
  /**
   * Most documents of a page have the same few authors, and a MAC takes longer than everything else for a document's response.
   */
  readonly #known = new BoundedMap<string, string>(AUTHORS_MAX);

  constructor(keyring: Keyring) {
    this.#keyring = keyring;
  }

  /**
   * Returns the ids of an instance's authors. An address has the same id until the master key changes. Without that key, nobody
   * can check whether an address belongs to an id.
   */
  of(instanceId: number): AuthorIdOf {
    return async (email) => {
      const author = `${instanceId} ${email}`;
      const known = this.#known.get(author);
      if (known !== undefined) return known;
      const id = (await this.#keyring.mac("author-id", author)).slice(0, AUTHOR_ID_LENGTH);
      this.#known.set(author, id);
      return id;
    };
  }
}

/** The length in base64url characters, which is far beyond any collision. */
const AUTHOR_ID_LENGTH = 22;

/** Returns a document as in the wire contract, for every response of the Client API with documents. */
export async function toDocumentAnswer(document: DescribedDocument, authorIdOf: AuthorIdOf) {
  const { datasource, objectType, url, createdAt, updatedAt, customData } = document;
  const title = readable(document.title);
  return {
    id: documentId(document),
    datasource,
    docType: objectType,
    title,
    url,
    metadata: {
      datasource,
      objectType,
      ...(createdAt === null ? {} : { createTime: isoTime(createdAt) }),
      ...(updatedAt === null ? {} : { updateTime: isoTime(updatedAt) }),
      ...(await toAuthor(document, authorIdOf)),
      ...(customData.length === 0 ? {} : { customData: Object.fromEntries(customData.map(toCustomValue)) }),
    },
  };
}

/** Returns the id of a document in requests and responses. */
export function documentId({ datasource, externalId }: Pick<DescribedDocument, "datasource" | "externalId">): string {
  return `${datasource}:${externalId}`;
}

/** Clients expect name and id together or not at all. */
async function toAuthor({ authorName, authorEmail }: DescribedDocument, authorIdOf: AuthorIdOf) {
  if (authorName === null || authorEmail === null) return {};
  return { author: { name: authorName, obfuscatedId: await authorIdOf(authorEmail) } };
}

function toCustomValue({ key, isList, values }: CustomValue) {
  return [key, isList ? { stringListValue: values } : { stringValue: values[0] ?? "" }] as const;
}
