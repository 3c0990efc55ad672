import { brandOf } from "#instance/policy-snapshot.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { ConsoleEnv } from "./http.ts";

/**
 * Tells every page of the console what to show around itself, and reads the policy as it is now: an administrator sees what they just
 * saved, whichever isolate answers.
 */
export const consoleFrame = createMiddleware<ConsoleEnv>(async (c, next) => {
  const { instance, services, session } = c.var;
  const { name } = instance.policy;
  const policy = (await services.policySnapshots.current(name)) ?? instance.policy;
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
