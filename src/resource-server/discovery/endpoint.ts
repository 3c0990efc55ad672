import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import type { ResourcePath } from "#protocol/resource-indicator.ts";
import { resourceMetadata } from "./resource-metadata.ts";

const http = createFactory<InstanceEnv>();

/** GET /.well-known/oauth-protected-resource, and the same with a resource's path after it (RFC 9728 §3). */
export function resourceMetadataEndpoint(path: ResourcePath) {
  return http.createHandlers((c) => {
    c.header("Cache-Control", "public, max-age=10");
    return c.json(resourceMetadata(c.var.instance, path, c.env.SERVICE_NAME));
  });
}
