import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { lineOf, statusOf } from "#admin-console/form-values.ts";
import { UNTYPED } from "#pages/views/form.tsx";
import { fieldsOf, type FormState } from "#platform/described-members.ts";
import { SETTING_MEMBERS } from "#settings/setting-members.ts";
import { ReceiverPage } from "./views/receiver-page.tsx";

const FIELDS = fieldsOf(SETTING_MEMBERS, ["auditReceiver"]);

const RECEIVER = "/audit/receiver";

/** Where audit entries are sent. An empty address stops delivery. */
export const RECEIVER_PATHS: ConsolePaths = {
  [RECEIVER]: consoleForm({
    page: (c) => show(c, UNTYPED),
    act: "settings.change",
    button: "Save the receiver",
    async decide({ form, administration }) {
      const auditReceiver = lineOf(form, "auditReceiver");
      await administration.settings.change({ auditReceiver });
      return auditReceiver !== undefined;
    },
    again: ({ c }, state) => show(c, state),
    says: {
      saved: "Receiver saved. This change is the first entry that it gets: within a minute, or select “Deliver now”.",
      stopped: "Delivery is off.",
    },
  }),
  // Sets the Authorization header of deliveries, or removes it.
  "/audit/receiver/authorization": consoleForm({
    act: "audit.authorizeReceiver",
    button: "Save the header",
    async decide({ form, administration }) {
      const header = lineOf(form, "authorizationSecret") ?? null;
      await administration.audit.authorizeReceiver(header);
      return header !== null;
    },
    again: ({ c }, { errors }) =>
      show(c, { values: {}, errors: { authorizationSecret: Object.values(errors).join(" ") } }),
    leadsTo: RECEIVER,
    says: { authorized: "Header saved. The next delivery sends it.", unauthorized: "Header removed." },
  }),
  // Delivers waiting entries at once, so that an administrator sees whether the receiver accepts them. It changes no setting, but sends
  // data out of the service.
  "/audit/receiver/deliver": consoleForm({
    act: "settings.change",
    button: "Deliver now",
    anySignIn: "the receiver gets these entries within a minute anyway",
    async decide({ c }) {
      const { instance, services } = c.var;
      const { instanceId } = instance.policy;
      await services.audit.seal(instanceId);
      await services.auditDelivery.deliverNow(instanceId);
      return (await services.auditDelivery.state(instanceId))?.waiting === 0;
    },
    leadsTo: RECEIVER,
    says: {
      delivered: "Everything has been delivered.",
      tried: "Some entries could not be delivered: see below.",
    },
  }),
};

async function show(c: ConsoleContext, state: FormState): Promise<Response> {
  const { instanceId, settings } = c.var.instance.policy;
  const delivery = await c.var.services.auditDelivery.state(instanceId);
  const values = { auditReceiver: delivery?.receiver ?? settings.auditReceiver ?? "", ...state.values };
  return render(c, <ReceiverPage delivery={delivery} fields={FIELDS} state={{ ...state, values }} />, statusOf(state));
}
