import type { PeopleAndGroups } from "#indexing-api/people-and-groups/people-and-groups.ts";
import type { DocumentPermissions } from "#indexing-api/permissions/document-permissions.ts";
import type { DocumentIndexing } from "#indexing-api/documents/documents.ts";
import type { BulkIndexing } from "#indexing-api/bulk/bulk-indexing.ts";
import type { IndexingEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory } from "hono/factory";
import { readJsonObject } from "#platform/http.ts";
import { requireCoverage } from "#resource-server/authorization/indexing-coverage.ts";
import type { DatasourceCoverage, RequestBody } from "./vocabulary.ts";

/** What calls about documents, permissions, people and groups act by. */
interface IndexingServices {
  readonly bulkIndexing: BulkIndexing;
  readonly documentIndexing: DocumentIndexing;
  readonly documentPermissions: DocumentPermissions;
  readonly peopleAndGroups: PeopleAndGroups;
}

const http = createFactory<IndexingEnv<IndexingServices>>();

/** Enough for any call but those that carry documents or their permissions. */
const BODY_BYTES_MAX = 64 * 1024;

/** A hundred documents of usual size; larger ones travel in smaller requests. */
export const DOCUMENTS_BYTES_MAX = 8 * 1024 * 1024;

/** What a call is given: its JSON, for which instance, and the question whether its token covers a datasource. */
interface IndexingCall {
  readonly instanceId: number;
  readonly body: RequestBody;
  readonly requireCoverage: DatasourceCoverage;
}

/** A call of the Indexing API about documents: JSON in, JSON out. */
export function indexingCall(
  act: (services: IndexingServices, call: IndexingCall) => Promise<object>,
  { bytesMax = BODY_BYTES_MAX }: { readonly bytesMax?: number } = {},
) {
  return http.createHandlers(async (c) => {
    const { instance, indexingScopes, services } = c.var;
    const answer = await act(services, {
      instanceId: instance.policy.instanceId,
      body: await readJsonObject(c, bytesMax),
      requireCoverage: (datasource) => requireCoverage(indexingScopes, "documents", datasource),
    });
    return c.json(answer);
  });
}
