import { DOCUMENT_BYTES_MAX } from "#indexing-api/documents/document.ts";
import {
  type DatasourceCoverage,
  datasourceName,
  documentId,
  emailAddress,
  malformed,
  objectTypeName,
  parseCovered,
  type RequestBody,
} from "#indexing-api/vocabulary.ts";
import { ApiError } from "#protocol/errors.ts";
import * as v from "valibot";
import { bytesOfPrincipals, type Principal, permissionsSchema, principalsOf } from "./permissions.ts";

export const update = v.object({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  id: documentId,
  permissions: permissionsSchema,
});

export const question = v.object({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  docId: documentId,
  userEmail: emailAddress,
});

/** A document, as its datasource names it. */
export interface DocumentName {
  readonly instanceId: number;
  readonly datasource: string;
  readonly externalId: string;
}

export interface PermissionStore {
  /**
   * Puts new permissions in the place of a document's old ones, also in an upload that is about to store it.
   *
   * @param size what they add to the document, and what that may have with them
   * @returns what became of it; nothing changed unless `updated`
   */
  replace(
    document: DocumentName,
    principals: readonly Principal[],
    size: { readonly bytes: number; readonly documentBytesMax: number },
  ): Promise<"updated" | "unknown" | "too-large">;
  /** Whether somebody may see a document; `undefined` when there is none. */
  isVisible(document: DocumentName, email: string): Promise<boolean | undefined>;
}

/** Who may see a document: changes it, and tells it to pipelines. */
export class DocumentPermissions {
  readonly #store: PermissionStore;

  constructor(store: PermissionStore) {
    this.#store = store;
  }

  /**
   * `updatepermissions`.
   *
   * @throws {ApiError} `bad_request`, `not_found`; what `requireCoverage` throws, before anything else
   */
  async update(instanceId: number, body: RequestBody, requireCoverage: DatasourceCoverage): Promise<void> {
    const { datasource, id: externalId, permissions } = parseCovered(update, body, requireCoverage);
    const principals = principalsOf(datasource, permissions);
    const bytes = bytesOfPrincipals(principals);
    // Also what a statement's parameter may hold.
    if (bytes > DOCUMENT_BYTES_MAX) throw tooLarge();
    const outcome = await this.#store.replace({ instanceId, datasource, externalId }, principals, {
      bytes,
      documentBytesMax: DOCUMENT_BYTES_MAX,
    });
    if (outcome === "unknown") throw unknownDocument(datasource, externalId);
    if (outcome === "too-large") throw tooLarge();
  }

  /**
   * `checkdocumentaccess`: whether the search of whoever signs in with this email may find the document. Somebody who has never
   * signed in is told of as at their first sign-in, without groups of the directory, which nobody knows yet.
   *
   * @throws {ApiError} `bad_request`, `not_found`; what `requireCoverage` throws, before anything is looked up
   */
  async check(
    instanceId: number,
    body: RequestBody,
    requireCoverage: DatasourceCoverage,
  ): Promise<{ hasAccess: boolean }> {
    const { datasource, docId: externalId, userEmail } = parseCovered(question, body, requireCoverage);
    const hasAccess = await this.#store.isVisible({ instanceId, datasource, externalId }, userEmail);
    if (hasAccess === undefined) throw unknownDocument(datasource, externalId);
    return { hasAccess };
  }
}

function unknownDocument(datasource: string, externalId: string): ApiError {
  return new ApiError("not_found", {
    reason: "document_unknown",
    description: `${datasource} has no document ${JSON.stringify(externalId)}: index it first`,
  });
}

function tooLarge(): ApiError {
  return malformed("permissions is not acceptable: with the document they are more than a row can hold; name groups");
}
