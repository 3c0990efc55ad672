import type { OwnFormEnv, SignedInEnv } from "#session/session-middleware.ts";
import { createFactory } from "hono/factory";
import { describeScopes } from "#consents/scope-words.ts";
import { brandOf, type PolicySnapshots } from "#instance/policy-snapshot.ts";
import { doneOf } from "#pages/page-middleware.ts";
import { type ContextOf, noStore } from "#platform/http.ts";
import { destinationOf } from "#protocol/redirect-uri.ts";
import { parseScopes } from "#protocol/scopes.ts";
import type { ConnectedApp, ConnectedApps } from "#grants/connected-apps.ts";
import { AccountPage, type AppShown } from "./views/account-page.tsx";

interface AccountServices {
  readonly connectedApps: ConnectedApps;
  readonly policySnapshots: PolicySnapshots;
}

const pages = createFactory<SignedInEnv<AccountServices>>();
const forms = createFactory<OwnFormEnv<AccountServices>>();

const DONE = {
  ended: "The app’s access is ended. Within 10 seconds it finds nothing more.",
  "ended-all": "Every app’s access is ended. Within 10 seconds they find nothing more.",
  nothing: "That app had no access any more.",
};

/** GET /account: the person's connected apps. */
export const accountEndpoint = pages.createHandlers(noStore, async (c) => {
  const { instance, services, session } = c.var;
  const apps = await services.connectedApps.list(instance.policy.instanceId, session.person.id);
  return c.html(
    <AccountPage
      service={c.env.SERVICE_NAME}
      brand={brandOf(instance.policy)}
      person={session.person}
      csrfToken={session.csrfToken}
      done={doneOf(c, DONE)}
      apps={apps.map(toShown)}
    />,
  );
});

/** POST /account/end: one app. */
export const endAccessEndpoint = forms.createHandlers(noStore, (c) => end(c, c.var.form.require("client_id"), "ended"));

/** POST /account/end-all */
export const endAllAccessEndpoint = forms.createHandlers(noStore, (c) => end(c, null, "ended-all"));

async function end(
  c: ContextOf<SignedInEnv<AccountServices>>,
  clientId: string | null,
  done: keyof typeof DONE,
): Promise<Response> {
  const { instance, services, session } = c.var;
  const { instanceId, name } = instance.policy;
  const ended = await services.connectedApps.end(instanceId, session.person.id, clientId);
  if (ended > 0) services.policySnapshots.expire(name);
  return c.redirect(`/account?done=${ended > 0 ? done : "nothing"}`, 303);
}

function toShown(app: ConnectedApp): AppShown {
  const scopes = parseScopes(app.scopes.join(" "));
  return {
    ...app,
    abilities: describeScopes(scopes.filter((scope) => scope !== "offline_access")).map(({ title }) => title),
    worksWhileAway: scopes.includes("offline_access"),
    destination: [...new Set(app.redirectUris.map(destinationOf))].join(", "),
  };
}
