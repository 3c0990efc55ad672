import { authorityOfRole, requireScope } from "#administration/authority.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { localeFor } from "#pages/page-middleware.ts";
import { ROLE_LIMITS } from "#people/role.ts";
import { createMiddleware } from "#platform/handlers.ts";
import { OAuthError } from "#protocol/errors.ts";
import { newFormId } from "./form-id.ts";
import { scopeOfForm } from "./form-acts.ts";
import type { ConsoleEnv } from "./http.ts";

/**
 * Lets only people with a role pass, and accepts only the forms that their role allows. As with an admin token, the request can then do
 * nothing that the role doesn't allow. The role is read on every request, so a change takes effect at once.
 */
export const withinRole = createMiddleware<ConsoleEnv>(async (c, next) => {
  const { services, session } = c.var;
  const { role } = session.person;
  if (role === null) {
    // Unlike the console, this page is for anybody, so it is in the reader's language.
    c.set("locale", await localeFor(c, null));
    throw new OAuthError("access_denied", {
      reason: "not_an_administrator",
      description: "Only people with a role in the admin console can open this page: ask your administrator",
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
 * Provides what every page of the console needs besides its content. Reads the current policy, so people see what they have just saved,
 * whichever isolate responds.
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
