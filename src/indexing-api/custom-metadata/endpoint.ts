import { type ActInstance, actInstance } from "#administration/act-instance.ts";
import type { MetadataActs } from "#administration/metadata-acts.ts";
import type { GroupDirectory } from "#custom-metadata/group-directory.ts";
import { toGroupSchema } from "#custom-metadata/group-schema.ts";
import { parseGroupName } from "#custom-metadata/names.ts";
import type { DocumentValues } from "./document-values.ts";
import { parseDescription } from "#custom-metadata/schema-request.ts";
import { DOCUMENTS_BYTES_MAX } from "#indexing-api/indexing-call-endpoint.ts";
import type { IndexingEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { answerJson, type ContextOf, readJsonObject } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { foldTerm } from "#protocol/folding.ts";
import { requireCoverage } from "#resource-server/authorization/indexing-coverage.ts";

interface MetadataServices {
  readonly administrationOf: (instance: ActInstance, actor: string) => { readonly metadata: MetadataActs };
  readonly documentValues: DocumentValues;
  readonly metadataGroups: Pick<GroupDirectory, "schemaOf">;
}

const http = createFactory<IndexingEnv<MetadataServices>>();

/** More than the values of a group can take, in JSON's longest spelling. */
const BODY_BYTES_MAX = 256 * 1024;

/** PUT …/custom-metadata/schema/{groupName} */
export const putSchemaEndpoint = http.createHandlers(async (c) => {
  const groupName = await writableGroup(c);
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  const { indexingTokenId, services } = c.var;
  await services.administrationOf(actInstance(c), indexingTokenId).metadata.replace(parseDescription(groupName, body));
  return answerJson(c, { success: true });
});

/** GET …/custom-metadata/schema/{groupName} */
export const getSchemaEndpoint = http.createHandlers(async (c) => {
  const group = parseGroupName(coveredGroup(c));
  const { keys } = await c.var.services.metadataGroups.schemaOf(c.var.instance.policy.instanceId, group);
  return answerJson(c, toGroupSchema(keys));
});

/** DELETE …/custom-metadata/schema/{groupName} */
export const deleteSchemaEndpoint = http.createHandlers(async (c) => {
  const groupName = await writableGroup(c);
  const { indexingTokenId, services } = c.var;
  await services.administrationOf(actInstance(c), indexingTokenId).metadata.remove(parseGroupName(groupName));
  return answerJson(c, { success: true });
});

/** PUT …/document/{docId}/custom-metadata/{groupName} */
export const putValuesEndpoint = http.createHandlers(async (c) => {
  const groupName = await writableGroup(c);
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  await c.var.services.documentValues.replace(c.var.instance.policy.instanceId, documentId(c), groupName, body);
  return answerJson(c, { success: true });
});

/** PUT …/custom-metadata/values/{groupName} */
export const putBulkValuesEndpoint = http.createHandlers(async (c) => {
  const groupName = await writableGroup(c);
  const body = await readJsonObject(c, DOCUMENTS_BYTES_MAX);
  const { instance, services } = c.var;
  const results = await services.documentValues.replaceMany(instance.policy.instanceId, groupName, body);
  return answerJson(c, { results });
});

/** DELETE …/document/{docId}/custom-metadata/{groupName} */
export const deleteValuesEndpoint = http.createHandlers(async (c) => {
  const groupName = await writableGroup(c);
  await c.var.services.documentValues.remove(c.var.instance.policy.instanceId, documentId(c), groupName);
  return answerJson(c, { success: true });
});

/**
 * Returns the group of this request, if the token covers it. Nothing about the group, the document or the body is checked before
 * that.
 *
 * @throws {ApiError} 401 `invalid_token`
 */
function coveredGroup(c: ContextOf<IndexingEnv>): string {
  const groupName = c.req.param("groupName") ?? "";
  requireCoverage(c.var.indexingScopes, "custommetadata", groupName);
  return groupName;
}

/**
 * Counts a write against its group's limit, and returns the group. Only callers that may write are counted, so that nobody else
 * uses up the limit.
 *
 * @throws {ApiError} 401 `invalid_token`, 429 `too_many_requests`
 */
async function writableGroup(c: ContextOf<IndexingEnv>): Promise<string> {
  const groupName = coveredGroup(c);
  await requireWithinRate(c, "custom-metadata", { group: foldTerm(groupName) });
  return groupName;
}

function documentId(c: ContextOf<IndexingEnv>): string {
  return c.req.param("docId") ?? "";
}
