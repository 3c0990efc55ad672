import { type AppContext, http, readJsonObject } from "#platform/http.ts";
import { requireCoverage } from "#resource-server/authentication/indexing-gate.ts";

/** A hundred documents of usual size; larger ones travel in smaller requests. */
const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** POST …/indexdocument */
export const indexDocumentEndpoint = http.createHandlers((c) => index(c, true));

/** POST …/indexdocuments */
export const indexDocumentsEndpoint = http.createHandlers((c) => index(c, false));

async function index(c: AppContext, single: boolean): Promise<Response> {
  const { instance, indexingScopes, services } = c.var;
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  await services.documentIndexing.index(instance.policy.instanceId, body, single, (datasource) =>
    requireCoverage(indexingScopes, "documents", datasource),
  );
  return c.json({ success: true });
}
