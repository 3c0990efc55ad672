import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { lineOf, refusedForm, statusOf } from "#admin-console/refused-form.ts";
import { UNTYPED } from "#pages/untyped.ts";
import { fieldsOf } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { ReceiverPage } from "./views/receiver-page.tsx";

const FIELDS = fieldsOf(SETTING_MEMBERS, ["auditReceiver"]);

/** GET /admin/audit/receiver */
export const receiverPage = pages.createHandlers((c) => show(c, UNTYPED));

/** POST /admin/audit/receiver: sets the receiver's address; an empty one stops delivery. */
export const saveReceiver = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const auditReceiver = lineOf(form, "auditReceiver");
  try {
    await services.administration.settings.change({ auditReceiver });
  } catch (error) {
    return show(c, refusedForm(form, error));
  }
  return done(c, "/audit/receiver", auditReceiver === undefined ? "stopped" : "saved");
});

/** POST /admin/audit/receiver/authorization: sets the Authorization header of deliveries, or removes it. */
export const authorizeReceiver = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const header = lineOf(form, "authorizationSecret") ?? null;
  try {
    await services.administration.audit.authorizeReceiver(header);
  } catch (error) {
    const { errors } = refusedForm(form, error);
    return show(c, { values: {}, errors: { authorizationSecret: Object.values(errors).join(" ") } });
  }
  return done(c, "/audit/receiver", header === null ? "unauthorized" : "authorized");
});

/**
 * POST /admin/audit/receiver/deliver: delivers waiting entries at once, so that an administrator sees whether the receiver accepts
 * them.
 */
export const deliverNow = forms.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const { instanceId } = instance.policy;
  await services.audit.seal(instanceId);
  await services.auditDelivery.deliverNow(instanceId);
  const state = await services.auditDelivery.state(instanceId);
  return done(c, "/audit/receiver", state?.waiting === 0 ? "delivered" : "tried");
});

async function show(c: ConsoleContext, state: FormState): Promise<Response> {
  const { instanceId, settings } = c.var.instance.policy;
  const delivery = await c.var.services.auditDelivery.state(instanceId);
  const values = { auditReceiver: delivery?.receiver ?? settings.auditReceiver ?? "", ...state.values };
  return render(c, <ReceiverPage delivery={delivery} fields={FIELDS} state={{ ...state, values }} />, statusOf(state));
}
