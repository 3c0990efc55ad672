import { authorityOfRole, requireScope } from "#administration/authority.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { ROLE_LIMITS } from "#people/role.ts";
import { createMiddleware } from "#platform/handlers.ts";
import { OAuthError } from "#protocol/errors.ts";
import { newFormId } from "./form-id.ts";
import { scopeOfForm } from "./form-acts.ts";
import type { ConsoleEnv } from "./http.ts";

/**
 * Lets people with a role pass, and lets them send only the forms that their role covers. The request can then do only what the role
 * allows, as with an admin token. The role is read on every request, so a change takes effect at once.
 */
export const withinRole = createMiddleware<ConsoleEnv>(async (c, next) => {
  const { services, session } = c.var;
  const { role } = session.person;
  if (role === null) {
    throw new OAuthError("access_denied", {
      reason: "not_an_administrator",
      description: "Only administrators and people with another role can open this page: ask your administrator",
    });
  }
  const authority = authorityOfRole(role);
  const needed = c.req.method === "POST" ? scopeOfForm(c.req.path) : undefined;
  if (needed !== undefined) requireScope(authority, needed);
  c.set("authority", authority);
  c.set("services", { ...services, administration: services.administrationWithin(authority) });
  await next();
});

/**
 * Tells every page of the console what to show around itself, and reads the policy as it is now: people see what they just saved,
 * whichever isolate answers.
 */
export const consoleFrame = createMiddleware<ConsoleEnv>(async (c, next) => {
  const { authority, instance, services, session } = c.var;
  const { name } = instance.policy;
  const policy = (await services.policySnapshots.current(name)) ?? instance.policy;
  c.set("instance", { ...instance, policy });
  const { organisation, logo } = brandOf(policy);
  const { person, csrfToken } = session;
  c.set("console", {
    service: c.env.SERVICE_NAME,
    organisation,
    logo,
    person,
    limits: person.role === null ? undefined : ROLE_LIMITS[person.role],
    csrfToken,
    newFormId,
    refusalOf: (href) => {
      const scope = scopeOfForm(href);
      return scope === undefined || authority.scopes.has(scope) ? undefined : authority.lacking(scope);
    },
  });
  await next();
});
