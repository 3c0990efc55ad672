import { render } from "#admin-console/page-endpoint.ts";
import { epochSeconds } from "#platform/clock.ts";
import { createMiddleware } from "#platform/handlers.ts";
import type { ConsoleFormEnv } from "./http.ts";
import { endOfForm } from "./form-id.ts";
import { RepeatedFormPage } from "./views/repeated-form-page.tsx";

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
