import type { OwnSession } from "#session/sessions.d1.ts";
import type { ConnectedApp } from "#grants/grants.ts";
import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, partsOf, textOf } from "#messages/locale.ts";
import { Layout } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";
import { Ago } from "#pages/views/time.tsx";

export interface AccountPageProps {
  readonly brand: Brand;
  readonly locale: Locale;
  readonly person: { readonly name: string; readonly email: string; readonly role: string | null };
  readonly csrfToken: string;
  /** The time of the request, in epoch seconds. */
  readonly now: number;
  readonly done: string | undefined;
  readonly apps: readonly AppShown[];
  readonly sessions: readonly OwnSession[];
}

/** An app as the page shows it. */
export interface AppShown extends ConnectedApp {
  /** What it may do, in words. */
  readonly abilities: readonly string[];
  /** What the organisation lets it search, in words, if that is limited. */
  readonly content: string | undefined;
  readonly worksWhileAway: boolean;
  readonly destination: string;
}

/** The apps that may search for a person, with forms that end their access, and where the person is signed in. */
export function AccountPage({ brand, locale, person, csrfToken, now, done, apps, sessions }: AccountPageProps) {
  const { messages } = locale;
  return (
    <Layout title={messages.account_title} brand={brand} locale={locale} width="list" reader={{ person, csrfToken }}>
      {done === undefined ? null : (
        <p class="notice approved first" role="status">
          {done}
        </p>
      )}
      <h1>{messages.account_heading}</h1>
      <p class="lead">{messages.account_lead}</p>
      {apps.length === 0 ? <p class="empty">{messages.account_none}</p> : null}
      <ul class="apps">
        {apps.map((app) => (
          <ConnectedAppItem app={app} {...{ brand, locale, csrfToken, now }} />
        ))}
      </ul>
      {apps.length > 1 ? (
        <PostForm action="/account/end-all" csrfToken={csrfToken} class="actions">
          <button type="submit">{textOf(locale, "account_end_all", { count: apps.length })}</button>
        </PostForm>
      ) : null}
      <h2>{messages.account_sessions}</h2>
      <ul class="sessions">
        {sessions.map((session) => (
          <li>
            <strong>{session.device === "" ? messages.account_unknown_browser : session.device}</strong>{" "}
            {session.isThis ? <span class="this">{messages.account_this_browser}</span> : null}
            <span class="quiet">
              {partsOf(locale, "account_session", {
                since: <Ago at={session.since} now={now} language={locale.language} />,
                used: <Ago at={session.lastUsedAt} now={now} language={locale.language} />,
              })}
            </span>
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <PostForm action="/account/end-sessions" csrfToken={csrfToken}>
          <button type="submit">{messages.account_end_sessions}</button>
        </PostForm>
      ) : null}
    </Layout>
  );
}

/** One app: what it is, what it may do and since when, and the form that ends its access. */
function ConnectedAppItem({
  app,
  brand,
  locale,
  csrfToken,
  now,
}: Pick<AccountPageProps, "brand" | "locale" | "csrfToken" | "now"> & { readonly app: AppShown }) {
  const { messages } = locale;
  return (
    <li>
      <h2>
        <bdi>{app.name}</bdi>
      </h2>
      <p class="quiet">
        {app.isApproved
          ? textOf(locale, "consent_approved", { organisation: brand.organisation })
          : messages.consent_unverified}{" "}
        {partsOf(locale, "account_destination", { destination: <bdi>{app.destination}</bdi> })}
      </p>
      <ul class="abilities">
        {app.abilities.map((ability) => (
          <li>{ability}</li>
        ))}
      </ul>
      {app.content === undefined ? null : (
        <p class="quiet">
          <bdi>{app.content}</bdi>
        </p>
      )}
      {app.assertedBy.length === 0 ? null : (
        <p class="quiet">
          {partsOf(locale, app.isConsented ? "account_asserted_too" : "account_asserted", {
            provider: <bdi>{app.assertedBy.join(", ")}</bdi>,
          })}
        </p>
      )}
      {app.passedOnBy.length === 0 ? null : (
        <p class="quiet">{partsOf(locale, "account_passed_on", { app: <bdi>{app.passedOnBy.join(", ")}</bdi> })}</p>
      )}
      <p class="quiet">
        {app.isConsented ? `${app.worksWhileAway ? messages.account_while_away : messages.account_short_time} ` : null}
        {partsOf(locale, sinceOf(app), {
          since: <Ago at={app.since} now={now} language={locale.language} />,
          renewed: <Ago at={app.lastTokensAt} now={now} language={locale.language} />,
          count: String(app.connections),
        })}
      </p>
      <PostForm action="/account/end" csrfToken={csrfToken}>
        <button
          type="submit"
          name="client_id"
          value={app.clientId}
          aria-label={textOf(locale, "account_end_of", { app: app.name })}
        >
          {messages.account_end}
        </button>
      </PostForm>
    </li>
  );
}

/**
 * Selects the sentence about the dates. If only an identity provider connected the app, it must not say that the person allowed
 * it.
 */
function sinceOf({ isConsented, connections }: AppShown) {
  if (!isConsented) return "account_since_asserted";
  return connections > 1 ? "account_since_connections" : "account_since";
}
