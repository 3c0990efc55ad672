import type { InstanceEnv } from "#instance/middleware.ts";
import type { Bindings } from "#platform/bindings.ts";
import { createFactory } from "#platform/handlers.ts";
import { EXAMPLE_ORIGIN, EXAMPLE_SERVICE } from "./placeholders.ts";

const http = createFactory<InstanceEnv>();

/** As `npm run describe` wrote it; kept, because it changes with a deployment alone. */
const written = new WeakMap<Bindings["ASSETS"], Promise<string>>();

/** GET /openapi.json: for anybody: it describes the APIs and shows no data. */
export const openApiEndpoint = http.createHandlers(async (c) => {
  const text = await textOf(c.env.ASSETS);
  c.header("Cache-Control", "public, max-age=600");
  const own = text
    .replaceAll(EXAMPLE_ORIGIN, c.var.instance.issuer)
    .replace(`"${EXAMPLE_SERVICE} APIs"`, JSON.stringify(`${c.env.SERVICE_NAME} APIs`));
  return c.body(own, 200, { "Content-Type": "application/json" });
});

function textOf(assets: Bindings["ASSETS"]): Promise<string> {
  const kept = written.get(assets);
  if (kept) return kept;
  const text = readAsset(assets);
  written.set(assets, text);
  text.catch(() => written.delete(assets));
  return text;
}

async function readAsset(assets: Bindings["ASSETS"]): Promise<string> {
  const response = await assets.fetch("https://assets/api-description.json");
  if (!response.ok) throw new Error(`the description's asset answered ${response.status}`);
  return response.text();
}
