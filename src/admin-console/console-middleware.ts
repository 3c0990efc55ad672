import { brandOf } from "#instance/policy-snapshot.ts";
import { waitUntil } from "#platform/http.ts";
import { createMiddleware } from "hono/factory";
import type { ConsoleEnv } from "./http.ts";

/**
 * Tells every page of the console what to show around itself, and reads the policy anew: an administrator sees what they just
 * saved, whichever isolate answers.
 */
export const consoleFrame = createMiddleware<ConsoleEnv>(async (c, next) => {
  const { instance, services, session } = c.var;
  const { name } = instance.policy;
  services.policySnapshots.expire(name);
  const policy = (await services.policySnapshots.of(name, waitUntil(c))) ?? instance.policy;
  c.set("instance", { ...instance, policy });
  const { organisation, logo } = brandOf(policy);
  c.set("console", {
    service: c.env.SERVICE_NAME,
    organisation,
    logo,
    person: session.person,
    csrfToken: session.csrfToken,
  });
  await next();
});
