import type { SigningKeys } from "./signing-keys.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";

const http = createFactory<InstanceEnv<{ readonly signingKeys: SigningKeys }>>();

/** GET /oauth/jwks: the public keys of this instance (RFC 7517 §5), even while the authorization server is off. */
export const jwksEndpoint = http.createHandlers(async (c) => {
  const keys = await c.var.services.signingKeys.published(c.var.instance.policy);
  c.header("Cache-Control", "public, max-age=60");
  return c.json({ keys });
});
