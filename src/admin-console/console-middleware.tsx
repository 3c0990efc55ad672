import { actInstance } from "#administration/act-instance.ts";
import { ACTS } from "#administration/act-table.ts";
import { authorityOfRole, requireScope } from "#administration/authority.ts";
import { ENGLISH_LOCALE } from "#messages/locale.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { ROLE_LIMITS } from "#people/role.ts";
import { epochSeconds } from "#platform/clock.ts";
import { readQuery, waitUntil } from "#platform/http.ts";
import { createMiddleware } from "#platform/handlers.ts";
import { OAuthError } from "#protocol/errors.ts";
import { endOfForm, newFormId } from "./form-id.ts";
import { formAt, noticeAt } from "./console-paths-endpoint.ts";
import type { ConsoleEnv, ConsoleFormEnv } from "./http.ts";
import { render } from "./page-endpoint.tsx";
import { RepeatedFormPage } from "./views/repeated-form-page.tsx";

/**
 * Lets only people with a role pass, and accepts only the forms that their role allows. As with an admin token, the request can then do
 * nothing that the role doesn't allow, and nothing that needs a fresh sign-in except the act of its form, for which `afterStepUp` has asked.
 * The role is read on every request, so a change takes effect at once.
 */
export const withinRole = createMiddleware<ConsoleEnv>(async (c, next) => {
  const { services, session } = c.var;
  const { role } = session.person;
  if (role === null) {
    throw new OAuthError("access_denied", {
      reason: "not_an_administrator",
      description: "Only people with a role in the admin console can open this page: ask your administrator",
    });
  }
  const authority = authorityOfRole(role, session.signedInAt);
  const form = c.req.method === "POST" ? formAt(c.req.path) : undefined;
  if (form !== undefined) requireScope(authority, ACTS[form.act].scope);
  c.set("authority", authority);
  c.set("services", {
    ...services,
    administration: services.administrationWithin(
      { instance: actInstance(c), actor: session.person.id, authority },
      (act) => act === form?.act,
    ),
  });
  await next();
});

/**
 * Provides what every page of the console needs besides its content. Reads the current policy, so people see what they have just saved,
 * whichever isolate responds.
 */
export const consoleFrame = createMiddleware<ConsoleEnv>(async (c, next) => {
  const { authority, instance, services, session } = c.var;
  const { name } = instance.policy;
  const policy = (await services.policySnapshots.current(name, waitUntil(c))) ?? instance.policy;
  c.set("instance", { ...instance, policy });
  const { organisation, logo } = brandOf(policy);
  const { person, csrfToken } = session;
  c.set("console", {
    now: epochSeconds(),
    path: c.req.path,
    locale: c.var.locale ?? ENGLISH_LOCALE,
    service: c.env.SERVICE_NAME,
    organisation,
    logo,
    person,
    limits: person.role === null ? undefined : ROLE_LIMITS[person.role],
    done: noticeAt(c.req.path, readQuery(c).all("done")[0]),
    csrfToken,
    newFormId,
    refusalOf: (href) => {
      const form = formAt(href);
      if (form === undefined) return undefined;
      const { scope } = ACTS[form.act];
      return authority.scopes.has(scope) ? undefined : authority.lacking(scope);
    },
  });
  await next();
});

/**
 * Accepts each form only once. Otherwise, a double click, a reload of the response or a slow connection could create a second token or
 * replace a secret that was just shown. A refused form (4xx) changed nothing and may be sent again. A failed one (5xx) may have changed
 * something and may not. Must come after `afterStepUp`, which responds to a form without performing its act.
 */
export const submittedOnce = createMiddleware<ConsoleFormEnv>(async (c, next) => {
  const [id] = c.req.method === "POST" ? c.var.form.all("form_id") : [];
  if (id === undefined) return next();
  const { instance, services, session } = c.var;
  const expiresAt = endOfForm(id, epochSeconds());
  const { instanceId } = instance.policy;
  const form = { instanceId, purpose: "own_form", sender: session.person.id, id, expiresAt: expiresAt ?? 0 } as const;
  if (expiresAt === undefined || !(await services.spentIds.spend(form))) {
    return render(c, <RepeatedFormPage isTooOld={expiresAt === undefined} />, 409);
  }
  await next();
  if (c.res.status >= 400 && c.res.status < 500) await services.spentIds.release(form);
});
