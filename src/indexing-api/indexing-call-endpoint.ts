import type { Documents } from "#documents/documents.ts";
import type { Seers } from "#people/seers.ts";
import { WARNINGS_MAX } from "#platform/members.ts";
import { answerJson, readJsonObject, waitUntil } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import { requireCoverage } from "#resource-server/authorization/indexing-coverage.ts";
import type { IndexingEnv } from "#resource-server/authentication/gate-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import type { RemovalNotes } from "./bulk/removal-notes.ts";
import type { UnknownGroups } from "./unknown-groups.ts";
import type { RequestBody, RequestReader } from "./request.ts";

/** The services that calls about documents, permissions, users and groups use. */
interface IndexingServices {
  readonly documents: Documents;
  readonly seers: Seers;
  readonly removalNotes: RemovalNotes;
  readonly unknownGroups: UnknownGroups;
}

const http = createFactory<IndexingEnv<IndexingServices>>();

/** Enough for every call except those with documents, their permissions, or pages of an upload. */
const BODY_BYTES_MAX = 64 * 1024;

/** A hundred documents of usual size. Larger ones have to be sent in smaller requests. */
export const DOCUMENTS_BYTES_MAX = 8 * 1024 * 1024;

interface CallOptions {
  readonly bytesMax?: number;
  /** Records that a request couldn't be read, if the caller's token covers its datasource. */
  readonly noteRefused?: (
    services: IndexingServices,
    instanceId: number,
    body: RequestBody,
    refusal: ApiError,
  ) => Promise<void>;
}

/**
 * Returns the handlers of a call of the Indexing API about documents, with JSON in and out. Unused members of the request are in
 * the response's `warnings`.
 *
 * @param act what the call does; if it returns nothing, the response says `success`
 */
export function indexingCall<Request>(
  readRequest: RequestReader<Request>,
  act: (services: IndexingServices, instanceId: number, request: Request, tokenId: string) => Promise<object | void>,
  { bytesMax = BODY_BYTES_MAX, noteRefused }: CallOptions = {},
) {
  return http.createHandlers(async (c) => {
    const indexingScopes = c.get("indexingScopes");
    const services = c.get("services");
    const { instanceId } = c.get("instance").policy;
    const body = await readJsonObject(c, bytesMax);
    let isCovered = false;
    const requireDatasource = (datasource: string) => {
      requireCoverage(indexingScopes, "documents", datasource);
      isCovered = true;
    };
    try {
      const { request, groups = [], ...read } = readRequest(body, requireDatasource);
      const [acted, unknown] = await Promise.all([
        act(services, instanceId, request, c.get("indexingTokenId")),
        services.unknownGroups.warnings(instanceId, groups),
      ]);
      const answer = acted ?? { success: true };
      const warnings = [...unknown, ...read.warnings];
      return answerJson(c, warnings.length === 0 ? answer : { ...answer, warnings: warnings.slice(0, WARNINGS_MAX) });
    } catch (error) {
      if (noteRefused && isCovered && error instanceof ApiError && error.code === "bad_request") {
        // The request is refused, whether or not that can be recorded.
        waitUntil(c)(noteRefused(services, instanceId, body, error).catch(() => undefined));
      }
      throw error;
    }
  });
}
