import type { InstanceEnv } from "#instance/middleware.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { createFactory } from "#platform/handlers.ts";
import { keptAsset } from "#platform/kept-asset.ts";
import type { ServiceWords } from "#protocol/service-words.ts";
import { EXAMPLE_AUTH_TYPE_HEADER, EXAMPLE_ORIGIN, EXAMPLE_SERVICE } from "./placeholders.ts";

const http = createFactory<InstanceEnv<{ readonly serviceWords: ServiceWords }>>();

/** The description, as `npm run describe` wrote it. */
const description = keptAsset("/api-description.json", (response) => response.text());

/** GET /openapi.json, for anybody: it describes the APIs and contains no data. */
export const openApiEndpoint = http.createHandlers(async (c) => {
  const text = await description(c.env.ASSETS);
  c.header("Cache-Control", "public, max-age=600");
  const { organisation, logo } = brandOf(c.var.instance.policy);
  const title = JSON.stringify(`${organisation} APIs`);
  const own = text
    .replaceAll(EXAMPLE_ORIGIN, c.var.instance.issuer)
    .replaceAll(EXAMPLE_AUTH_TYPE_HEADER, c.var.services.serviceWords.authTypeHeader)
    .replace(
      `"${EXAMPLE_SERVICE} APIs"`,
      () => title + (logo === undefined ? "" : `,"x-logo":${JSON.stringify({ url: logo })}`),
    );
  return c.body(own, 200, { "Content-Type": "application/json" });
});
