import type { DocumentChange } from "#documents/engine.ts";
import { closed, emailAddress, unused } from "#platform/members.ts";
import { covered, type RequestReader } from "#indexing-api/request.ts";
import { groupsIn } from "#indexing-api/unknown-groups.ts";
import { datasourceName, documentId, objectTypeName } from "#indexing-api/vocabulary.ts";
import * as v from "valibot";
import { permissionsSchema, principalsOf } from "./permissions.ts";

export const update = closed({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  id: documentId,
  viewURL: unused,
  permissions: permissionsSchema,
});

export const question = closed({
  datasource: datasourceName,
  objectType: v.optional(objectTypeName),
  docId: documentId,
  userEmail: emailAddress,
});

/** Reads `updatepermissions`. */
export const readUpdate: RequestReader<DocumentChange & { readonly act: "permit" }> = (body, requireCoverage) => {
  const { request, warnings } = covered(update)(body, requireCoverage);
  const { datasource, id: externalId, permissions } = request;
  const principals = principalsOf(datasource, permissions);
  return {
    request: { act: "permit", datasource, externalId, principals },
    groups: groupsIn([{ datasource, principals }], () => "permissions"),
    warnings,
  };
};
