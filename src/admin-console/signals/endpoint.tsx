import { consoleForm, type ConsolePaths, render } from "#admin-console/page-endpoint.tsx";
import { found } from "#administration/found.ts";
import type { ConsoleContext } from "#admin-console/http.ts";
import { lineOf, readForm, statusOf, storedForm } from "#admin-console/form-values.ts";
import { fieldsOf, type FormState } from "#platform/described-members.ts";
import { readQuery } from "#platform/http.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import type { StoredTransmitter } from "#signals/transmitter.ts";
import { TRANSMITTER_MEMBERS } from "#signals/transmitter-members.ts";
import { SignalsPage, TransmitterPage, transmitterPath } from "./views/signal-pages.tsx";

const FIELDS = fieldsOf(TRANSMITTER_MEMBERS, ["issuer", "name", "audience", "jwksUri", "emailDomains"]);

/** The systems that may sign people out. */
export const SIGNAL_PATHS: ConsolePaths = {
  "/signals": {
    page: async (c) => {
      const { issuer: here, policy } = c.var.instance;
      const addresses = {
        events: here + ENDPOINTS.securityEvents,
        revocation: here + ENDPOINTS.tokenRevocation,
        logout: here + ENDPOINTS.backChannelLogout,
      };
      const transmitters = await c.var.services.transmitters.list(policy.instanceId);
      return render(c, <SignalsPage addresses={addresses} transmitters={transmitters} />);
    },
  },
  // Without an issuer, the form for a new transmitter.
  "/signals/transmitter": consoleForm({
    page: async (c) => {
      const [issuer] = readQuery(c).all("issuer");
      if (issuer === undefined) {
        const values = { audience: c.var.instance.issuer + ENDPOINTS.securityEvents };
        return show(c, undefined, { values, errors: {} });
      }
      const stored = await requireTransmitter(c, issuer);
      return show(c, stored, storedForm(FIELDS, stored.configuration));
    },
    act: "signals.put",
    button: "Save the transmitter",
    async decide({ form, administration }) {
      const { jwksUri, ...read } = readForm(FIELDS, form, {});
      const { issuer = "", name = "", audience = "", emailDomains } = read;
      const draft = { issuer, name, audience, emailDomains, ...(jwksUri !== undefined && { jwksUri }) };
      const header = form.one("withoutHeader") === "on" ? null : form.one("authorizationSecret");
      await administration.signals.put(draft, header);
    },
    async again({ c, form }, state) {
      const { instance, services } = c.var;
      const stored = await services.transmitters.find(instance.policy.instanceId, lineOf(form, "issuer") ?? "");
      return show(c, stored ?? undefined, state);
    },
    leadsTo: "/signals",
    says: { saved: "Transmitter saved. Its events are accepted now." },
  }),
  "/signals/remove": consoleForm({
    act: "signals.remove",
    button: "Remove the transmitter",
    about: (c, field) => requireTransmitter(c, field("issuer")),
    question: (_c, { configuration: { issuer, name } }) => ({
      title: `Remove “${name}”?`,
      words:
        "Its events are refused at once: people that it signs out stay signed in here. You can add it again, with its Authorization header.",
      fields: { issuer },
      back: transmitterPath("transmitter", issuer),
    }),
    decide: ({ administration }, stored) => administration.signals.remove(stored),
    leadsTo: "/signals",
    says: { removed: "Transmitter removed. Its events are refused now." },
  }),
};

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
