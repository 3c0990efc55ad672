import { t } from "#pages/views/console-frame.ts";
import { counted } from "#pages/views/count.ts";
import { cutOff, later, type Question } from "#pages/views/asking-page.tsx";
import { consoleForm, type ConsolePaths, readList, render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { linesOf, statusOf, storedForm } from "#admin-console/form-values.ts";
import { REQUIREMENT_OPTIONS, tickedRequirements } from "#admin-console/requirement-options.ts";
import { SCOPE_OPTIONS } from "#admin-console/scope-options.ts";
import { APP_MEMBERS } from "#clients/app-members.ts";
import { type AuthenticationMethod, hasSecret } from "#clients/client.ts";
import type { ListedClient } from "#clients/client-directory.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { enteredKeys, requireEnteredKeys } from "#clients/client-keys.ts";
import { fieldsOf, type FormState, withOptions } from "#platform/described-members.ts";
import { readQuery } from "#platform/http.ts";
import { ApiError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseScopes, USUAL_SCOPES } from "#protocol/scopes.ts";
import { appHref, toShown } from "./app-shown.ts";
import { AppsPage } from "./views/apps-page.tsx";
import { ClientPage, NewClientPage } from "./views/client-page.tsx";
import { AppPage } from "./views/registered-page.tsx";
import { SecretPage } from "./views/secret-page.tsx";

const FIELDS = withOptions(
  fieldsOf(APP_MEMBERS, ["name", "redirectUris", "scopes", "requirements", "mayExchangeTokens", "keys"]),
  { scopes: SCOPE_OPTIONS, requirements: REQUIREMENT_OPTIONS },
);

/** How each kind of app authenticates. */
const METHODS: Readonly<Record<string, AuthenticationMethod>> = {
  public: "none",
  confidential: "client_secret_basic",
  keys: "private_key_jwt",
};

const APP = "/clients/app";
const NOT_WAITING = "The app no longer waits for approval: another administrator has decided.";

/** Apps of every kind, each of which the query names, because the id of some is a URL. */
export const CLIENT_PATHS: ConsolePaths = {
  "/clients": {
    page: async (c) => {
      const { instance, services } = c.var;
      const { items, list } = await readList(c, CLIENT_LIST, (id, query) => services.clientDirectory.list(id, query));
      const ids = items.map(({ id }) => id);
      const reach = await services.grants.reachOfEach(instance.policy, ids);
      const apps = items.map((item) => ({ ...toShown(item), people: reach.get(item.id)?.people ?? 0 }));
      return render(c, <AppsPage list={list} apps={apps} />);
    },
  },
  // Only the response contains a confidential app's secret.
  "/clients/new": consoleForm({
    page: (c) => showNew(c, { values: { kind: "public", scopes: [...USUAL_SCOPES] }, errors: {} }),
    act: "clients.create",
    button: "Create the app",
    async decide({ c, form, administration }) {
      const tokenEndpointAuthMethod = METHODS[form.one("kind") ?? ""] ?? "none";
      const hasKeys = tokenEndpointAuthMethod === "private_key_jwt";
      const keys = hasKeys ? { keys: requireEnteredKeys(form.one("keys") ?? "") } : {};
      const order = { ...readClient(form), tokenEndpointAuthMethod, ...keys };
      const { client, secret } = await administration.clients.create(order);
      return secret === undefined
        ? client
        : render(c, <SecretPage client={client} secret={secret} title="App created" />);
    },
    again: ({ c }, state) => showNew(c, state),
    leadsTo: APP,
    at: ({ id }) => appHref("app", id),
    says: { created: "App created. Connect it with the addresses below." },
  }),
  // Somebody who changes an app's keys or redirect URIs can act as the app.
  [APP]: consoleForm({
    page: async (c) => {
      const app = await requireApp(c, readQuery(c).all("id")[0]);
      const keys = app.keys === null ? "" : enteredKeys(app.keys);
      return show(c, app, {
        values: { ...storedForm(FIELDS, app).values, keys, version: String(app.changedAt) },
        errors: {},
      });
    },
    act: "clients.change",
    button: "Save the app",
    about: (c, field) => requireApp(c, field("id")),
    async decide({ form, administration }, app) {
      const seen = { ...app, changedAt: Number(form.one("version")) };
      if (app.kind !== "static") {
        await administration.clients.change(seen, { requirements: tickedRequirements(form, "requirements") });
        return;
      }
      const keys = app.keys === null ? {} : { keys: requireEnteredKeys(form.one("keys") ?? "") };
      await administration.clients.change(seen, { ...readClient(form), ...keys });
    },
    again({ c }, state, app, error) {
      // Its page has no form.
      if (app.isDisabled) throw error;
      return show(c, app, state);
    },
    at: here,
    says: {
      saved:
        "Changes saved. Existing tokens lose removed scopes within 10 seconds; requirements apply to the next token.",
    },
  }),
  // Only the last response contains the new secret.
  "/clients/rotate-secret": consoleForm({
    act: "clients.rotateSecret",
    button: "Replace the secret",
    about: (c, field) => requireApp(c, field("id")),
    async question(c, app) {
      const { grants, people } = await reachOf(c, app);
      return {
        ...about(app),
        title: "Replace the secret?",
        words: [
          "The old secret stops working at once. Until the app has the new one, it can’t sign people in or renew tokens.",
          `Grants are kept: ${counted(grants, "grant")} of ${counted(people, "person", "people")} will work with the new secret.`,
          "The new secret is shown once, on the next page.",
        ],
      };
    },
    async decide({ c, administration }, app) {
      const secret = await administration.clients.rotateSecret(app.id);
      return render(c, <SecretPage client={app} secret={secret} title="Secret replaced" />);
    },
  }),
  "/clients/approve": consoleForm({
    act: "clients.approve",
    button: "Approve the app",
    about: (c, field) => requireApp(c, field("id")),
    // As the page showed it.
    decide: ({ form, administration }, { id }) =>
      administration.clients.approve({ id, changedAt: Number(form.one("version")) }),
    leadsTo: "/registration",
    says: {
      approved: "App approved. People can now sign in with it.",
      changed: "The app has changed since you opened this page. Review it again, then decide.",
      "not-waiting": NOT_WAITING,
    },
  }),
  "/clients/deny": consoleForm({
    act: "clients.deny",
    button: "Deny the app",
    about: (c, field) => requireApp(c, field("id")),
    question: (c, app) => disablingQuestion(c, app, "Deny this app?"),
    decide: ({ administration }, { id }) => administration.clients.deny(id),
    leadsTo: "/registration",
    says: { denied: "App denied. It stays in the list of apps.", "not-waiting": NOT_WAITING },
  }),
  "/clients/disable": consoleForm({
    act: "clients.disable",
    button: "Disable the app",
    about: (c, field) => requireApp(c, field("id")),
    question: (c, app) => disablingQuestion(c, app, "Disable this app?"),
    decide: ({ administration }, { id }) => administration.clients.disable(id),
    leadsTo: APP,
    at: here,
    says: { disabled: "App disabled. Its tokens stop working within 10 seconds." },
  }),
  "/clients/enable": consoleForm({
    act: "clients.enable",
    button: "Enable the app",
    about: (c, field) => requireApp(c, field("id")),
    decide: ({ administration }, { id }) => administration.clients.enable(id),
    leadsTo: APP,
    at: here,
    says: { enabled: "App enabled. Existing grants work again within 10 seconds." },
  }),
  "/clients/delete": consoleForm({
    act: "clients.remove",
    button: "Delete the app",
    about: (c, field) => requireApp(c, field("id")),
    question: async (c, app) => ({
      ...about(app),
      title: "Delete this app?",
      words: [
        cutOff(await reachOf(c, app)),
        "It is removed from the list. The audit log keeps its history.",
        AFTER_DELETION[app.kind],
      ],
    }),
    decide: ({ administration }, { id }) => administration.clients.remove(id),
    leadsTo: "/clients",
    says: { deleted: "App deleted, with all grants." },
  }),
};

const AFTER_DELETION = {
  static: "Its client id never works again.",
  dynamic: "It can register again as a new app.",
  document: "It comes back when somebody uses it again. To prevent this, disable it.",
} as const;

async function disablingQuestion(c: ConsoleContext, app: ListedClient, title: string): Promise<Question> {
  return {
    ...about(app),
    title,
    words: [
      cutOff(await reachOf(c, app)),
      "It stays in the list. If you enable it again, its grants work again.",
      app.kind === "document" ? "Its address is refused too, so it can’t come back." : null,
      app.kind === "dynamic" ? "This holds for all of its installs, and for later ones." : null,
      later(() => t`To remove it from the list instead, ${<a href={appHref("delete", app.id)}>{t`delete it`}</a>}.`),
    ],
  };
}

function here(_outcome: unknown, { id }: ListedClient): string {
  return appHref("app", id);
}

/** @throws {ApiError} `not_found` if this instance has no such app */
async function requireApp(c: ConsoleContext, id = ""): Promise<ListedClient> {
  const { instance, services } = c.var;
  const app = await services.clientDirectory.find(instance.policy.instanceId, id);
  if (app) return app;
  throw new ApiError("not_found", {
    reason: "client_unknown",
    description: "There is no such app: it was deleted, or nobody has used it for a long time",
  });
}

function showNew(c: ConsoleContext, state: FormState) {
  return render(c, <NewClientPage fields={FIELDS} state={state} />, statusOf(state));
}

async function show(c: ConsoleContext, app: ListedClient, state: FormState): Promise<Response> {
  const { issuer, policy } = c.var.instance;
  const reach = await reachOf(c, app);
  if (app.kind === "static") {
    const client = { ...toShown(app), isConfidential: hasSecret(app) };
    return render(c, <ClientPage {...{ client, issuer, reach, state }} fields={FIELDS} />, statusOf(state));
  }
  const optionsOf = (required: readonly string[]) =>
    REQUIREMENT_OPTIONS.filter(({ value }) => required.includes(value));
  return render(
    c,
    <AppPage
      app={toShown(app)}
      reach={reach}
      requirements={REQUIREMENT_OPTIONS}
      ofAll={optionsOf(policy.settings.appRequirements)}
      ofItself={optionsOf(app.declaredRequirements)}
      state={state}
    />,
    statusOf(state),
  );
}

function about(app: ListedClient) {
  const { id, name, destinations, path } = toShown(app);
  const lead = later(() => t`${<bdi>{name}</bdi>}, which returns to ${<bdi>{destinations}</bdi>}.`);
  return { lead, fields: { id }, back: path };
}

function reachOf(c: ConsoleContext, app: ListedClient) {
  return c.var.services.grants.reach(c.var.instance.policy, app.id);
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
