import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory, createMiddleware } from "#platform/handlers.ts";
import { authorizationServerMetadata, requireOAuthEnabled } from "./metadata.ts";

const http = createFactory<InstanceEnv>();

/** Lets a request pass only while the authorization server is on. */
export const oauthEnabled = createMiddleware<InstanceEnv>((c, next) => {
  requireOAuthEnabled(c.get("instance"));
  return next();
});

/** GET /.well-known/oauth-authorization-server (RFC 8414 §3). */
export const metadataEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=10");
  return c.json(authorizationServerMetadata(c.var.instance));
});
