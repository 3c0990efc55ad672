import { contentOf, namesOfClient } from "#app-access/app-access.ts";
import type { OwnFormEnv, SignedInEnv } from "#session/session-middleware.tsx";
import { epochSeconds } from "#platform/clock.ts";
import { createFactory } from "#platform/handlers.ts";
import { contentInWords, describeScopes } from "#consents/scope-words.ts";
import type { MessageKey } from "#messages/english.ts";
import { ENGLISH_LOCALE, type Locale } from "#messages/locale.ts";
import { brandOf, organisationOf, type PolicySnapshot } from "#instance/policy-snapshot.ts";
import { doneOf } from "#pages/page-middleware.ts";
import type { ContextOf } from "#platform/http.ts";
import { destinationOf } from "#protocol/redirect-uri.ts";
import { parseScope, parseScopes } from "#protocol/scopes.ts";
import type { GrantScope } from "#grants/ending.ts";
import type { ConnectedApp } from "#grants/grants.ts";
import type { GrantEndings } from "#grants/grant-endings.ts";
import type { D1Grants } from "#grants/grants.d1.ts";
import type { Sessions } from "#session/session.ts";
import { AccountPage, type AppShown } from "./views/account-page.tsx";

interface AccountServices {
  readonly grants: Pick<D1Grants, "appsOf">;
  readonly grantEndings: GrantEndings;
  readonly sessions: Sessions;
}

const pages = createFactory<SignedInEnv<AccountServices>>();
const forms = createFactory<OwnFormEnv<AccountServices>>();

const DONE = {
  ended: "account_done_ended",
  "ended-all": "account_done_ended_all",
  "ended-sessions": "account_done_ended_sessions",
  nothing: "account_done_nothing",
} as const satisfies Readonly<Record<string, MessageKey>>;

/** GET /account: the person's connected apps. */
export const accountEndpoint = pages.createHandlers(async (c) => {
  const { instance, services, session } = c.var;
  const { person, secret } = session;
  const { locale = ENGLISH_LOCALE } = c.var;
  const done = doneOf(c, DONE);
  const [apps, sessions] = await Promise.all([
    services.grants.appsOf(instance.policy, person.id),
    services.sessions.ofPerson(instance, person.id, secret),
  ]);
  return c.html(
    <AccountPage
      brand={brandOf(instance.policy)}
      locale={locale}
      person={person}
      csrfToken={session.csrfToken}
      now={epochSeconds()}
      done={done && locale.messages[done]}
      apps={apps.map((app) => toShown(app, locale, instance.policy))}
      sessions={sessions}
    />,
  );
});

/** POST /account/end: revokes one app's access. */
export const endAccessEndpoint = forms.createHandlers((c) => {
  const { form, session } = c.var;
  const scope = { kind: "client-of-person", personId: session.person.id, clientId: form.require("client_id") } as const;
  return end(c, scope, "ended");
});

/** POST /account/end-all */
export const endAllAccessEndpoint = forms.createHandlers((c) =>
  end(c, { kind: "person", personId: c.var.session.person.id }, "ended-all"),
);

/** POST /account/end-sessions, after a step-up: ends the person's sessions except this one. */
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
  const ended = await services.grantEndings.end(instance.policy, scope, "revoked_by_person", session.person.id);
  return c.redirect(`/account?done=${ended > 0 ? done : "nothing"}`, 303);
}

function toShown(app: ConnectedApp, locale: Locale, policy: PolicySnapshot): AppShown {
  const { messages } = locale;
  const scopes = parseScopes(app.scopes.join(" "));
  return {
    ...app,
    abilities: describeScopes(
      scopes.filter((scope) => scope !== "offline_access"),
      messages,
    ).map(({ title }) => title),
    content: contentInWords(locale, organisationOf(policy), contentOf(policy, namesOfClient(app))),
    worksWhileAway: app.scopes.some((scope) => parseScope(scope) === "offline_access"),
    destination: [...new Set(app.redirectUris.map(destinationOf))].join(", "),
  };
}
