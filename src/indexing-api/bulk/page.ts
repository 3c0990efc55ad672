import { sha256 } from "#crypto/secrets.ts";
import type { UploadItem, UploadPage, UploadTarget } from "#documents/uploads/uploads.ts";
import { parseDocuments } from "#indexing-api/documents/document.ts";
import { closed } from "#platform/members.ts";
import { covered, type RequestBody, type RequestReader } from "#indexing-api/request.ts";
import { describedGroup, describedMember, describedUser } from "#indexing-api/users-and-groups/requests.ts";
import { datasourceName, groupName, malformed, uploadName } from "#indexing-api/vocabulary.ts";
import * as v from "valibot";

/**
 * The most documents of a page. The store takes several steps for them: a page is what pipelines send at once, whatever it costs.
 */
export const PAGE_DOCUMENTS_MAX = 500;

/** The most users, groups or memberships of a page: rows of a few bytes each. */
const PAGE_NAMES_MAX = 5000;

/** Whether a last page removes what the upload didn't contain, however much it is. The family has two names for it. */
const unchecked = v.optional(v.boolean(), false);

/** The members that every page has. */
const head = {
  uploadId: uploadName,
  datasource: datasourceName,
  isFirstPage: v.optional(v.boolean(), false),
  isLastPage: v.optional(v.boolean(), false),
  forceRestartUpload: v.optional(v.boolean(), false),
};

const namesOf = <const Item extends v.GenericSchema>(item: Item) => v.pipe(v.array(item), v.maxLength(PAGE_NAMES_MAX));

/** Documents are read separately: each may name a datasource, which the token has to cover first. */
export const documentsPage = closed({
  ...head,
  documents: v.pipe(v.array(v.unknown()), v.maxLength(PAGE_DOCUMENTS_MAX)),
  disableStaleDocumentDeletionCheck: unchecked,
});

export const usersPage = closed({ ...head, users: namesOf(describedUser), disableStaleDataDeletionCheck: unchecked });

export const groupsPage = closed({
  ...head,
  groups: namesOf(describedGroup),
  disableStaleDataDeletionCheck: unchecked,
});

/** One upload contains the members of one group. */
export const membershipsPage = closed({
  ...head,
  group: groupName,
  memberships: namesOf(describedMember),
  disableStaleDataDeletionCheck: unchecked,
});

/** A request for the status of one upload, or of all that are stored. */
export const uploadQuestion = closed({ datasource: datasourceName, uploadId: v.optional(uploadName) });

const target = v.object({ uploadId: uploadName, datasource: datasourceName, group: v.optional(groupName) });

/** Returns the upload of a page that can't be read as a whole, if the page names it. */
export function headOf(kind: UploadTarget["kind"], body: RequestBody): UploadTarget | undefined {
  const parsed = v.safeParse(target, body);
  if (!parsed.success) return undefined;
  const { uploadId, datasource, group } = parsed.output;
  return { kind, datasource, groupName: kind === "memberships" ? (group ?? "") : "", uploadId };
}

/** A page as it was read, without the hash by which it is recognised if it is sent again. */
export type ReadPage = Omit<UploadPage, "hash">;

/** Reads `bulkindexdocuments`. If two documents have the same id, the last one counts. */
export const readDocumentsPage: RequestReader<ReadPage> = (body, requireCoverage) => {
  const { request: page, warnings } = covered(documentsPage)(body, requireCoverage);
  const { datasource, documents: entries } = page;
  const parsed = parseDocuments({ entries, datasource, at: (index) => `documents[${index}]` }, requireCoverage);
  const distinct = new Map(parsed.documents.map((document) => [document.externalId, document]));
  const items = [...distinct.values()].map((document) => ({ kind: "documents", document }) as const);
  const { groups } = parsed;
  return { request: pageOf("documents", page, items), groups, warnings: [...warnings, ...parsed.warnings] };
};

/** Reads `bulkindexusers`. */
export const readUsersPage = readerOf("users", usersPage, ({ users }) =>
  users.map((user) => ({ kind: "users", user })),
);

/** Reads `bulkindexgroups`. */
export const readGroupsPage = readerOf("groups", groupsPage, ({ groups }) =>
  groups.map((name) => ({ kind: "groups", name })),
);

/** Reads `bulkindexmemberships`. */
export const readMembershipsPage = readerOf("memberships", membershipsPage, ({ group, memberships }) =>
  memberships.map((member) => ({ kind: "memberships", membership: { groupName: group, ...member } })),
);

function readerOf<const Schema extends v.GenericSchema<unknown, Head>>(
  kind: UploadTarget["kind"],
  schema: Schema,
  itemsOf: (page: v.InferOutput<Schema>) => readonly UploadItem[],
): RequestReader<ReadPage> {
  return (body, requireCoverage) => {
    const { request: page, warnings } = covered(schema)(body, requireCoverage);
    return { request: pageOf(kind, page, itemsOf(page)), warnings };
  };
}

/** Adds the hash to a page. */
export async function withHash(page: ReadPage): Promise<UploadPage> {
  const { isFirst, isLast, items } = page;
  return { ...page, hash: await sha256(JSON.stringify([isFirst, isLast, items])) };
}

/** What a page says about its upload. */
type Head = v.InferOutput<v.ObjectSchema<typeof head, undefined>> & {
  readonly disableStaleDocumentDeletionCheck?: boolean;
  readonly disableStaleDataDeletionCheck?: boolean;
  readonly group?: string;
};

function pageOf(kind: UploadTarget["kind"], page: Head, items: readonly UploadItem[]): ReadPage {
  const { uploadId, datasource, isFirstPage: isFirst, isLastPage: isLast, forceRestartUpload: forceRestart } = page;
  if (forceRestart && !isFirst) {
    throw malformed("forceRestartUpload goes with isFirstPage: true: start again with the first page");
  }
  const isUnchecked = page.disableStaleDocumentDeletionCheck ?? page.disableStaleDataDeletionCheck ?? false;
  const upload = { kind, datasource, groupName: page.group ?? "", uploadId };
  return { ...upload, isFirst, isLast, forceRestart, isUnchecked, items };
}
