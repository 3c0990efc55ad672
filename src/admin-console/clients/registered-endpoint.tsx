import { render } from "#admin-console/page-endpoint.ts";
import { done } from "#admin-console/notices-endpoint.ts";
import { decision } from "#admin-console/decision-endpoint.tsx";
import { type ConsoleContext, forms, pages } from "#admin-console/http.ts";
import { orRefused } from "#admin-console/refused-act.ts";
import { refusedForm, statusOf } from "#admin-console/refused-form.ts";
import { REQUIREMENT_OPTIONS, tickedRequirements } from "#admin-console/requirement-options.ts";
import type { FormState } from "#platform/form-state.ts";
import { readQuery } from "#platform/http.ts";
import type { ListedClient } from "#clients/client-directory.ts";
import { ApiError } from "#protocol/errors.ts";
import { type AppShown, toShown } from "./app-shown.ts";
import { AppPage } from "./views/registered-page.tsx";
import { cutOff } from "#pages/views/asking-page.tsx";

/** GET /admin/clients/app?id=… */
export const appPage = pages.createHandlers(async (c) => {
  const app = await requireApp(c, readQuery(c).all("id")[0]);
  return show(c, app, { values: { requirements: app.requirements }, errors: {} });
});

/** POST /admin/clients/app: changes the app's requirements. */
export const requireOfApp = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const app = await requireApp(c, form.one("id"));
  const seen = { ...app, changedAt: Number(form.one("version")) };
  const requirements = tickedRequirements(form, "requirements");
  try {
    await services.administration.clients.change(seen, { requirements });
  } catch (error) {
    return show(c, app, refusedForm(form, error));
  }
  return done(c, "/clients/app", "saved", toShown(app).path);
});

/** POST /admin/clients/approve: approves the app as the page showed it. */
export const approveApp = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const { id } = await requireApp(c, form.one("id"));
  const seen = { id, changedAt: Number(form.one("version")) };
  const outcome = await services.administration.clients.approve(seen);
  return done(c, "/registration", outcome);
});

/** /admin/clients/disable?id=…: denies an app that waits for approval, and disables any other. */
export const disableApp = decision({
  about: (c, field) => requireApp(c, field("id")),
  async question(c, client) {
    const app = toShown(client);
    return {
      ...about(app),
      title: app.isPending ? "Deny this app?" : "Disable this app?",
      ...(app.isPending && { button: "Deny the app" }),
      words: [
        cutOff(await reachOf(c, app)),
        "It stays in the list. You can enable it again.",
        app.kind === "document"
          ? "Its address is refused too, so it can’t come back."
          : "This holds for all of its installs, and for later ones.",
        <>
          To remove it from the list instead, <a href={app.path.replace("/app?", "/delete?")}>delete it</a>.
        </>,
      ],
    };
  },
  async decide(c, app) {
    const { services } = c.var;
    if (app.isPending) {
      const isDenied = await services.administration.clients.deny(app.id);
      return done(c, "/registration", isDenied ? "denied" : "not-waiting");
    }
    await services.administration.clients.disable(app.id);
    return done(c, "/clients", "disable");
  },
});

/** POST /admin/clients/enable */
export const enableApp = forms.createHandlers(async (c) => {
  const { form, services } = c.var;
  const app = await requireApp(c, form.one("id"));
  await services.administration.clients.enable(app.id);
  return done(c, "/clients", "enable");
});

/** /admin/clients/delete?id=… */
export const deleteApp = decision({
  about: (c, field) => requireApp(c, field("id")),
  question: async (c, app) => ({
    ...about(toShown(app)),
    title: "Delete this app?",
    words: [
      cutOff(await reachOf(c, app)),
      "It is removed from the list. The audit log keeps its history.",
      app.kind === "document"
        ? "It comes back when somebody uses it again. To prevent this, disable it."
        : "It can register again as a new app.",
    ],
  }),
  async decide(c, { id, isPending }) {
    await orRefused(c.var.services.administration.clients.remove(id));
    return isPending ? done(c, "/registration", "deleted") : done(c, "/clients", "delete");
  },
});

/** @throws {ApiError} `not_found` if this instance has no such app, or an administrator created it */
async function requireApp(c: ConsoleContext, id: string | undefined): Promise<ListedClient> {
  const { instance, services } = c.var;
  const app = id === undefined ? null : await services.clientDirectory.find(instance.policy.instanceId, id);
  if (app && app.kind !== "static") return app;
  throw new ApiError("not_found", {
    reason: "client_unknown",
    description: "There is no such app: it was deleted, or nobody has used it for a long time",
  });
}

async function show(c: ConsoleContext, app: ListedClient, state: FormState): Promise<Response> {
  const { appRequirements } = c.var.instance.policy.settings;
  return render(
    c,
    <AppPage
      app={toShown(app)}
      reach={await reachOf(c, app)}
      requirements={REQUIREMENT_OPTIONS}
      ofAll={REQUIREMENT_OPTIONS.filter(({ value }) => appRequirements.includes(value))}
      ofItself={REQUIREMENT_OPTIONS.filter(({ value }) => app.declaredRequirements.includes(value))}
      state={state}
    />,
    statusOf(state),
  );
}

function about({ id, name, destinations, path }: AppShown) {
  const lead = (
    <>
      <bdi>{name}</bdi>, which returns to <bdi>{destinations}</bdi>.
    </>
  );
  return { lead, fields: { id }, back: path };
}

function reachOf(c: ConsoleContext, app: ListedClient) {
  return c.var.services.grants.reach(c.var.instance.policy, app.id);
}
