import type { D1Logos } from "./logos.d1.ts";
import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";

const http = createFactory<InstanceEnv<{ readonly logos: Pick<D1Logos, "find"> }>>();

/**
 * GET /assets/logo?v=<hash>: the instance's logo. Each URL identifies one version, so caches may keep it for good. The response's
 * policy lets nothing run or load if somebody opens the URL on its own.
 */
export const logoEndpoint = http.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const [version = ""] = readQuery(c).all("v");
  const logo = await services.logos.find(instance.policy.instanceId, version);
  if (!logo) throw new ApiError("not_found", { reason: "logo_unknown", description: "There is no such logo" });
  return c.body(logo.bytes, 200, {
    "Content-Type": logo.type,
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
});
