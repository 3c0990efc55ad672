import type { InstanceEnv } from "#instance/middleware.ts";
import type { Bindings } from "#platform/bindings.ts";
import { createFactory } from "hono/factory";
import { EXAMPLE_ORIGIN, EXAMPLE_SERVICE } from "./placeholders.ts";

const http = createFactory<InstanceEnv>();

/** As `npm run describe` wrote it; kept, because it changes with a deployment alone. */
let written: Promise<string> | undefined;

/** GET /openapi.json: for anybody; it tells of the APIs and nothing of what is in them. */
export const openApiEndpoint = http.createHandlers(async (c) => {
  written ??= readAsset(c.env.ASSETS);
  const text = await written.catch((error: unknown) => {
    written = undefined;
    throw error;
  });
  c.header("Cache-Control", "public, max-age=600");
  const own = text
    .replaceAll(EXAMPLE_ORIGIN, c.var.instance.issuer)
    .replace(`"${EXAMPLE_SERVICE} APIs"`, JSON.stringify(`${c.env.SERVICE_NAME} APIs`));
  return c.body(own, 200, { "Content-Type": "application/json" });
});

async function readAsset(assets: Bindings["ASSETS"]): Promise<string> {
  const response = await assets.fetch("https://assets/api-description.json");
  if (!response.ok) throw new Error(`the description's asset answered ${response.status}`);
  return response.text();
}
