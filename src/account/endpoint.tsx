import type { OwnFormEnv, SignedInEnv } from "#session/session-middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { describeScopes } from "#consents/scope-words.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { doneOf } from "#pages/page-middleware.ts";
import type { ContextOf } from "#platform/http.ts";
import { destinationOf } from "#protocol/redirect-uri.ts";
import { parseScope, parseScopes } from "#protocol/scopes.ts";
import type { GrantScope } from "#grants/ending.ts";
import type { ConnectedApp } from "#grants/grant-directory.ts";
import type { Grants } from "#grants/grants.ts";
import type { Sessions } from "#session/session.ts";
import { AccountPage, type AppShown } from "./views/account-page.tsx";

interface AccountServices {
  readonly grants: Grants;
  readonly sessions: Sessions;
}

const pages = createFactory<SignedInEnv<AccountServices>>();
const forms = createFactory<OwnFormEnv<AccountServices>>();

const DONE = {
  ended: "Access revoked. The app’s tokens stop working within 10 seconds.",
  "ended-all": "Access revoked for every app. Tokens stop working within 10 seconds.",
  "ended-sessions": "You are signed out everywhere else.",
  nothing: "That app no longer had access.",
};

/** GET /account: the person's connected apps. */
export const accountEndpoint = pages.createHandlers(async (c) => {
  const { instance, services, session } = c.var;
  const { person, secret } = session;
  const [apps, sessions] = await Promise.all([
    services.grants.appsOf(instance.policy, person.id),
    services.sessions.ofPerson(instance, person.id, secret),
  ]);
  return c.html(
    <AccountPage
      service={c.env.SERVICE_NAME}
      brand={brandOf(instance.policy)}
      person={person}
      csrfToken={session.csrfToken}
      done={doneOf(c, DONE)}
      apps={apps.map(toShown)}
      sessions={sessions}
    />,
  );
});

/** POST /account/end: one app. */
export const endAccessEndpoint = forms.createHandlers((c) => {
  const { form, session } = c.var;
  const scope = { kind: "client-of-person", personId: session.person.id, clientId: form.require("client_id") } as const;
  return end(c, scope, "ended");
});

/** POST /account/end-all */
export const endAllAccessEndpoint = forms.createHandlers((c) =>
  end(c, { kind: "person", personId: c.var.session.person.id }, "ended-all"),
);

/** POST /account/end-sessions, after a step-up: ends the person's sessions but this one. */
export const endSessionsEndpoint = forms.createHandlers(async (c) => {
  const { instance, services, session } = c.var;
  await services.sessions.endOthers(instance, session.person.id, session.secret);
  return c.redirect("/account?done=ended-sessions", 303);
});

async function end(
  c: ContextOf<SignedInEnv<AccountServices>>,
  scope: GrantScope,
  done: keyof typeof DONE,
): Promise<Response> {
  const { instance, services, session } = c.var;
  const ended = await services.grants.end(instance.policy, scope, "revoked_by_person", session.person.id);
  return c.redirect(`/account?done=${ended.grants + ended.consents > 0 ? done : "nothing"}`, 303);
}

function toShown(app: ConnectedApp): AppShown {
  const scopes = parseScopes([...app.scopes, ...app.rememberedScopes].join(" "));
  return {
    ...app,
    abilities: describeScopes(scopes.filter((scope) => scope !== "offline_access")).map(({ title }) => title),
    worksWhileAway: app.scopes.some((scope) => parseScope(scope) === "offline_access"),
    destination: [...new Set(app.redirectUris.map(destinationOf))].join(", "),
  };
}
