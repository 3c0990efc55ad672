import { http, readJsonObject } from "#platform/http.ts";
import { toDocumentsAnswer } from "./documents-answer.ts";

/** A hundred of the longest URLs fit. */
const BODY_BYTES_MAX = 512 * 1024;

/** POST /rest/api/v1/getdocuments: as the person whom the gate let in. */
export const getDocumentsEndpoint = http.createHandlers(async (c) => {
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  const page = await c.var.services.getDocuments.get(c.var.instance.policy.instanceId, c.var.personId, body);
  c.header("Cache-Control", "no-store");
  return c.json(await toDocumentsAnswer(page, c.var.services.authorIds));
});
