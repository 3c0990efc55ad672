import type { ConnectedApp } from "#grants/grant-directory.ts";
import type { Brand } from "#instance/policy-snapshot.ts";
import type { OwnSession } from "#session/session.ts";
import { Layout } from "#pages/views/layout.tsx";

export interface AccountPageProps {
  readonly service: string;
  readonly brand: Brand;
  readonly person: { readonly name: string; readonly email: string; readonly role: string | null };
  readonly csrfToken: string;
  readonly done: string | undefined;
  readonly apps: readonly AppShown[];
  readonly sessions: readonly OwnSession[];
}

/** An app as the page shows it. */
export interface AppShown extends ConnectedApp {
  /** What it may do, in words. */
  readonly abilities: readonly string[];
  readonly worksWhileAway: boolean;
  readonly destination: string;
}

/** The apps that a person allowed, and the way to end them. */
export function AccountPage({ service, brand, person, csrfToken, done, apps, sessions }: AccountPageProps) {
  return (
    <Layout title="Connected apps" service={service} brand={brand} width="list">
      {done === undefined ? null : (
        <p class="notice approved first" role="status">
          {done}
        </p>
      )}
      <h1>Apps connected to your work search</h1>
      <p class="lead">
        You allowed these apps to search for you. They find only documents that you may see. If you revoke access, an
        app stops working within 10 seconds; it can ask you again.
      </p>
      {apps.length === 0 ? <p class="empty">No app has access.</p> : null}
      <ul class="apps">
        {apps.map((app) => (
          <li>
            <h2>
              <bdi>{app.name}</bdi>
            </h2>
            <p class="quiet">
              {app.kind === "static" ? `Approved by ${brand.organisation}.` : "Not verified."} Responses are sent to{" "}
              <bdi>{app.destination}</bdi>.
            </p>
            <ul class="abilities">
              {app.abilities.map((ability) => (
                <li>{ability}</li>
              ))}
            </ul>
            <p class="quiet">
              {app.lastTokensAt === null ? (
                <>
                  Not connected now. You allowed this <Day at={app.since} />, so it may connect again without asking
                  you.
                </>
              ) : (
                <>
                  {app.worksWhileAway
                    ? "Works while you are away. "
                    : "Works only for a short time after you sign in. "}
                  Allowed <Day at={app.since} />, last renewed <Day at={app.lastTokensAt} />
                  {app.connections > 1 ? `, connected ${app.connections} times` : ""}.
                </>
              )}
            </p>
            <form method="post" action="/account/end">
              <input type="hidden" name="csrf_token" value={csrfToken} />
              <button type="submit" name="client_id" value={app.clientId} aria-label={`End access of ${app.name}`}>
                End access
              </button>
            </form>
          </li>
        ))}
      </ul>
      <div class="actions">
        {apps.length > 1 ? (
          <form method="post" action="/account/end-all">
            <input type="hidden" name="csrf_token" value={csrfToken} />
            <button type="submit">End all {apps.length}</button>
          </form>
        ) : null}
        <form method="post" action="/sign-out">
          <input type="hidden" name="csrf_token" value={csrfToken} />
          <button type="submit">Sign out</button>
        </form>
      </div>
      <h2>Where you are signed in</h2>
      <ul>
        {sessions.map((session) => (
          <li>
            Signed in at <Minute at={session.since} />, last used at <Minute at={session.lastUsedAt} />
            {session.isThis ? " (this browser)" : null}
          </li>
        ))}
      </ul>
      {sessions.length > 1 ? (
        <form method="post" action="/account/end-sessions">
          <input type="hidden" name="csrf_token" value={csrfToken} />
          <button type="submit">Sign out everywhere else</button>
        </form>
      ) : null}
      <p class="quiet signed-in">
        You are signed in as {person.name}, {person.email}. <a href="/search">Search</a>{" "}
        {person.role !== null ? <a href="/admin">Administration</a> : null}
      </p>
    </Layout>
  );
}

function Day({ at }: { readonly at: number }) {
  const iso = new Date(at * 1000).toISOString();
  return <time datetime={iso}>{iso.slice(0, 10)}</time>;
}

function Minute({ at }: { readonly at: number }) {
  const iso = new Date(at * 1000).toISOString();
  return <time datetime={iso}>{`${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`}</time>;
}
