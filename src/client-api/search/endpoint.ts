import type { Search } from "./search.ts";
import { backendTimeMillis } from "#client-api/backend-time.ts";
import type { AuthorIds } from "#client-api/document-answer.ts";
import type { ClientApiEnv } from "#resource-server/authentication/gate-middleware.ts";
import { firstLanguage } from "#documents/languages.ts";
import { createFactory } from "#platform/handlers.ts";
import { answerJson, readJsonObject } from "#platform/http.ts";
import { toSearchAnswer } from "./search-answer.ts";

const http = createFactory<ClientApiEnv<{ readonly search: Search; readonly authorIds: AuthorIds }>>();

const BODY_BYTES_MAX = 64 * 1024;

/** POST /rest/api/v1/search: searches as the signed-in user. */
export const searchEndpoint = http.createHandlers(async (c) => {
  const startedAt = Date.now();
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  const { search, authorIds } = c.get("services");
  const { policy } = c.get("instance");
  const language = firstLanguage(c.req.header("Accept-Language"));
  const page = await search.search(policy, c.get("caller"), body, { language });
  const authorIdOf = authorIds.of(policy.instanceId);
  const took = backendTimeMillis(startedAt, Date.now());
  return answerJson(c, await toSearchAnswer(page, authorIdOf, c.get("frame").requestId, took));
});
