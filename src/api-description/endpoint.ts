import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "hono/factory";
import { openApiDocument } from "./openapi.ts";

const http = createFactory<InstanceEnv>();

/** GET /openapi.json: for anybody; it tells of the APIs and nothing of what is in them. */
export const openApiEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=600");
  return c.json(openApiDocument(c.var.instance.issuer, c.env.SERVICE_NAME));
});
