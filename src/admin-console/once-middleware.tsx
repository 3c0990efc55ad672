import { systemClock } from "#platform/clock.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { ConsoleFormEnv } from "./http.ts";
import { endOfForm } from "./form-id.ts";
import { RepeatedFormPage } from "./views/repeated-form-page.tsx";

/**
 * Lets each form through once: a double click, a reload of the answer or a slow connection would otherwise create a second token or
 * replace a secret that was just shown. A refused form changed nothing, so it may be sent again; one that failed may have changed
 * something, and is not. It comes after `afterStepUp`, which
 * answers a form without deciding anything.
 */
export const submittedOnce = createMiddleware<ConsoleFormEnv>(async (c, next) => {
  const [id] = c.req.method === "POST" ? c.var.form.all("form_id") : [];
  if (id === undefined) return next();
  const { console: frame, instance, services, session } = c.var;
  const expiresAt = endOfForm(id, systemClock());
  const { instanceId } = instance.policy;
  const form = { instanceId, purpose: "own_form", sender: session.person.id, id, expiresAt: expiresAt ?? 0 } as const;
  if (expiresAt === undefined || !(await services.spentIds.spend(form))) {
    return c.html(<RepeatedFormPage frame={frame} path={c.req.path} isTooOld={expiresAt === undefined} />, 409);
  }
  await next();
  if (c.res.status >= 400 && c.res.status < 500) await services.spentIds.release(form);
});
