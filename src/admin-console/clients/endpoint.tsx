import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { orRefused } from "#admin-console/refused-act.ts";
import { storedForm } from "#admin-console/member-form.ts";
import { linesOf, refusedForm, statusOf } from "#admin-console/refused-form.ts";
import { REQUIREMENT_OPTIONS, tickedRequirements } from "#admin-console/requirement-options.ts";
import { SCOPE_OPTIONS } from "#admin-console/scope-options.ts";
import type { ListedClient } from "#clients/client-directory.ts";
import { APP_MEMBERS } from "#clients/app-members.ts";
import { fieldsOf, withOptions } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import { type AuthenticationMethod, hasSecret } from "#clients/client.ts";
import { enteredKeys, requireEnteredKeys } from "#clients/entered-keys.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseScopes, USUAL_SCOPES } from "#protocol/scopes.ts";
import { ClientPage, type ClientShown } from "./views/client-page.tsx";
import { cutOff } from "#pages/views/asking-page.tsx";
import { counted } from "#pages/views/count.ts";
import { NewClientPage } from "./views/new-client-page.tsx";
import { SecretPage } from "./views/secret-page.tsx";

const FIELDS = withOptions(
  fieldsOf(APP_MEMBERS, ["name", "redirectUris", "scopes", "requirements", "mayExchangeTokens", "keys"]),
  {
    scopes: SCOPE_OPTIONS,
    requirements: REQUIREMENT_OPTIONS,
  },
);

/** How each kind of app authenticates. */
const METHODS: Readonly<Record<string, AuthenticationMethod>> = {
  public: "none",
  confidential: "client_secret_basic",
  keys: "private_key_jwt",
};

/** GET /admin/clients/new */
export const newClientPage = pages.createHandlers((c) => {
  const values = { kind: "public", scopes: [...USUAL_SCOPES] };
  return render(c, <NewClientPage fields={FIELDS} state={{ values, errors: {} }} />);
});

/** POST /admin/clients/new. Only this response contains a confidential client's secret. */
export const createClient = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const tokenEndpointAuthMethod = METHODS[form.one("kind") ?? ""] ?? "none";
  const hasKeys = tokenEndpointAuthMethod === "private_key_jwt";
  try {
    const keys = hasKeys ? { keys: requireEnteredKeys(form.one("keys") ?? "") } : {};
    const order = { ...readClient(form), tokenEndpointAuthMethod, ...keys };
    const { client, secret } = await services.administration.clients.create(order);
    if (secret === undefined) return done(c, "/clients/:clientId", "created", `/admin/clients/${client.id}`);
    return render(c, <SecretPage client={client} secret={secret} title="App created" />);
  } catch (error) {
    const state = refusedForm(form, error);
    return render(c, <NewClientPage fields={FIELDS} state={state} />, 422);
  }
});

/** GET /admin/clients/:clientId */
export const clientPage = pages.createHandlers(async (c) => {
  const client = await requireMade(c);
  return showClient(c, client, {
    values: {
      ...storedForm(FIELDS, client).values,
      keys: client.keys === null ? "" : enteredKeys(client.keys),
      version: String(client.changedAt),
    },
    errors: {},
  });
});

/** POST /admin/clients/:clientId */
export const editClient = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const client = enabled(await requireMade(c));
  const seen = { ...client, changedAt: Number(form.one("version")) };
  try {
    const keys = client.keys === null ? {} : { keys: requireEnteredKeys(form.one("keys") ?? "") };
    await services.administration.clients.change(seen, { ...readClient(form), ...keys });
  } catch (error) {
    return showClient(c, client, refusedForm(form, error));
  }
  return done(c, "/clients/:clientId", "saved", `/admin/clients/${client.id}`);
});

/** /admin/clients/:clientId/rotate-secret. Only the last response contains the new secret. */
export const rotateSecret = decision({
  about: requireConfidential,
  async question(c, client) {
    const { grants, people } = await reachOf(c, client);
    return {
      title: "Replace the secret?",
      lead: leadOf(client),
      words: [
        "The old secret stops working at once. Until the app has the new one, it can’t sign people in or renew tokens.",
        `Grants are kept: ${counted(grants, "grant")} of ${counted(people, "person", "people")} will work with the new secret.`,
        "The new secret is shown once, on the next page.",
      ],
    };
  },
  async decide(c, client) {
    const secret = await orRefused(c.var.services.administration.clients.rotateSecret(client.id));
    return render(c, <SecretPage client={client} secret={secret} title="Secret replaced" />);
  },
});

/** /admin/clients/:clientId/disable */
export const disableClient = decision({
  about: requireMade,
  question: async (c, client) => ({
    title: "Disable this app?",
    lead: leadOf(enabled(client)),
    words: [
      cutOff(await reachOf(c, client)),
      "People can no longer sign in with it.",
      "It stays in the list. If you enable it again, its grants work again.",
    ],
  }),
  async decide(c, { id }) {
    await c.var.services.administration.clients.disable(id);
    return done(c, "/clients/:clientId", "disabled", `/admin/clients/${id}`);
  },
});

/** POST /admin/clients/:clientId/enable */
export const enableClient = forms.createHandlers(async (c) => {
  const client = await requireMade(c);
  await c.var.services.administration.clients.enable(client.id);
  return done(c, "/clients/:clientId", "enabled", `/admin/clients/${client.id}`);
});

/** /admin/clients/:clientId/delete */
export const deleteClient = decision({
  about: requireMade,
  question: async (c, client) => ({
    title: "Delete this app?",
    lead: leadOf(client),
    words: [
      cutOff(await reachOf(c, client)),
      "It is removed from the list, and its client id never works again. The audit log keeps its history.",
    ],
  }),
  async decide(c, { id }) {
    await c.var.services.administration.clients.remove(id);
    return done(c, "/clients", "delete");
  },
});

async function showClient(c: ConsoleContext, client: ListedClient, state: FormState): Promise<Response> {
  return render(
    c,
    <ClientPage
      client={toShown(client)}
      issuer={c.var.instance.issuer}
      reach={await reachOf(c, client)}
      fields={FIELDS}
      state={state}
    />,
    statusOf(state),
  );
}

/** Returns the client in the address. @throws {ApiError} `not_found` if no administrator of this instance created it */
async function requireMade(c: ConsoleContext): Promise<ListedClient> {
  const { instance, services } = c.var;
  const client = await services.clientDirectory.find(instance.policy.instanceId, c.req.param("clientId") ?? "");
  if (client?.kind === "static") return client;
  throw new ApiError("not_found", {
    reason: "client_unknown",
    description: "There is no such app: it was deleted",
  });
}

function enabled(client: ListedClient): ListedClient {
  if (!client.isDisabled) return client;
  throw new ApiError("bad_request", {
    reason: "client_disabled",
    description: "This app is disabled: enable it first",
  });
}

async function requireConfidential(c: ConsoleContext): Promise<ListedClient> {
  const client = enabled(await requireMade(c));
  if (hasSecret(client)) return client;
  throw new ApiError("bad_request", { reason: "client_without_secret", description: "This app has no secret" });
}

function leadOf({ name }: ListedClient) {
  return (
    <>
      The app <bdi>{name}</bdi>.
    </>
  );
}

function reachOf(c: ConsoleContext, client: ListedClient) {
  return c.var.services.grants.reach(c.var.instance.policy, client.id);
}

function readClient(form: Parameters) {
  return {
    name: form.one("name") ?? "",
    redirectUris: [...new Set(linesOf(form, "redirectUris"))],
    scopes: parseScopes(form.all("scopes").join(" ")),
    requirements: tickedRequirements(form, "requirements"),
    mayExchangeTokens: form.one("mayExchangeTokens") === "on",
  };
}

function toShown(client: ListedClient): ClientShown {
  return {
    ...client,
    isConfidential: hasSecret(client),
  };
}
