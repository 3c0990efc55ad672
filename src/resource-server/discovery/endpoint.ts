import { http } from "#platform/http.ts";
import { resourceMetadata } from "./resource-metadata.ts";

/** GET /.well-known/oauth-protected-resource (RFC 9728 §3). */
export const resourceMetadataEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=10");
  return c.json(resourceMetadata(c.var.instance, c.env.SERVICE_NAME));
});
