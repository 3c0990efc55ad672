import { http } from "#platform/http.ts";
import { openApiDocument } from "./openapi.ts";

/** GET /openapi.json: for anybody; it tells of the APIs and nothing of what is in them. */
export const openApiEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=600");
  return c.json(openApiDocument(c.var.instance.issuer, c.env.SERVICE_NAME));
});
