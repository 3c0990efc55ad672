import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { found } from "#administration/found.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { readForm, storedForm } from "#admin-console/member-form.ts";
import { lineOf, refusedForm, statusOf } from "#admin-console/refused-form.ts";
import { fieldsOf } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { readQuery } from "#platform/http.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { StoredTransmitter } from "#signals/transmitter.ts";
import { TRANSMITTER_MEMBERS } from "#signals/transmitter-members.ts";
import { SignalsPage, transmitterPath } from "./views/signals-page.tsx";
import { TransmitterPage } from "./views/transmitter-page.tsx";

const FIELDS = fieldsOf(TRANSMITTER_MEMBERS, ["issuer", "name", "audience", "jwksUri", "emailDomains"]);

/** GET /admin/signals */
export const signalsPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const { issuer: here, policy } = instance;
  const transmitters = await services.transmitters.list(policy.instanceId);
  return render(
    c,
    <SignalsPage
      addresses={{
        events: here + ENDPOINTS.securityEvents,
        revocation: here + ENDPOINTS.tokenRevocation,
        logout: here + ENDPOINTS.backChannelLogout,
      }}
      transmitters={transmitters}
    />,
  );
});

/** GET /admin/signals/transmitter?issuer=…; without an issuer, the form for a new transmitter. */
export const transmitterPage = pages.createHandlers(async (c) => {
  const [issuer] = readQuery(c).all("issuer");
  if (issuer === undefined) {
    return show(c, undefined, { values: { audience: c.var.instance.issuer + ENDPOINTS.securityEvents }, errors: {} });
  }
  const stored = await requireTransmitter(c, issuer);
  return show(c, stored, storedForm(FIELDS, stored.configuration));
});

/** POST /admin/signals/transmitter */
export const saveTransmitter = forms.createHandlers(async (c) => {
  const { form, instance, services } = c.var;
  const { jwksUri, ...read } = readForm(FIELDS, form, {});
  const issuer = lineOf(form, "issuer") ?? "";
  const { name = "", audience = "", emailDomains } = read;
  const draft = { issuer, name, audience, emailDomains, ...(jwksUri !== undefined && { jwksUri }) };
  const header = form.one("withoutHeader") === "on" ? null : form.one("authorizationSecret");
  try {
    await services.administration.signals.put(draft, header);
  } catch (error) {
    const stored = await services.transmitters.find(instance.policy.instanceId, issuer);
    return show(c, stored ?? undefined, refusedForm(form, error));
  }
  return done(c, "/signals", "saved");
});

/** /admin/signals/remove?issuer=… */
export const removeTransmitter = decision({
  about: (c, field) => requireTransmitter(c, field("issuer")),
  question: (_c, { configuration: { issuer, name } }) => ({
    title: `Remove ${name}?`,
    words:
      "Its events are refused at once: people that it signs out stay signed in here. You can add it again, with its Authorization header.",
    fields: { issuer },
    back: transmitterPath("transmitter", issuer),
  }),
  async decide(c, stored) {
    await c.var.services.administration.signals.remove(stored);
    return done(c, "/signals", "removed");
  },
});

function show(
  c: ConsoleContext,
  stored: StoredTransmitter | undefined,
  state: FormState,
): Response | Promise<Response> {
  return render(c, <TransmitterPage fields={FIELDS} state={state} stored={stored} />, statusOf(state));
}

/** Returns a stored transmitter. @throws {ApiError} `not_found` if this instance has none with that issuer */
function requireTransmitter(c: ConsoleContext, issuer = ""): Promise<StoredTransmitter> {
  const { instance, services } = c.var;
  return found(services.transmitters.find(instance.policy.instanceId, issuer), "transmitter");
}
