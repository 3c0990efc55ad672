import type { GetDocuments } from "./get-documents.ts";
import type { AuthorIds } from "#client-api/document-answer.ts";
import type { ClientApiEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { answerJson, readJsonObject } from "#platform/http.ts";
import { toDocumentsAnswer } from "./documents-answer.ts";

const http = createFactory<ClientApiEnv<{ readonly getDocuments: GetDocuments; readonly authorIds: AuthorIds }>>();

/** Enough for a hundred of the longest URLs. */
const BODY_BYTES_MAX = 512 * 1024;

/** POST /rest/api/v1/getdocuments: reads documents as the signed-in user. */
export const getDocumentsEndpoint = http.createHandlers(async (c) => {
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  const { policy } = c.get("instance");
  const { getDocuments, authorIds } = c.get("services");
  const requested = await getDocuments.get(policy, c.get("caller"), body);
  return answerJson(c, await toDocumentsAnswer(requested, authorIds.of(policy.instanceId)));
});
