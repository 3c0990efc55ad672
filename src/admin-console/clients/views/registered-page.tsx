import { AppState } from "#pages/views/app-state.tsx";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ActLink, ConsoleLayout, type ConsoleFrame, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { rulesHref } from "./rules-page.tsx";
import { counted } from "#pages/views/count.ts";
import { Form } from "#pages/views/form.tsx";

export interface AppPageProps {
  readonly frame: ConsoleFrame;
  readonly app: AppShown;
  /** Who uses it. */
  readonly reach: { readonly people: number; readonly grants: number };
}

/** One app that nobody vouches for: what is known of it, and what can be decided. */
export function AppPage({ frame, app, reach }: AppPageProps) {
  return (
    <ConsoleLayout frame={frame} section="/admin/clients" title="App" lead={<a href="/admin/clients">All apps</a>}>
      <section class="panel">
        <h2>
          <bdi>{app.name}</bdi>
        </h2>
        <Facts
          facts={[
            ["State", <AppState app={app} />],
            ["Client id", <code class="id">{app.id}</code>],
            ["Known host", app.knownHost ?? "None: the app chose its own name"],
            ["Origin", app.kind === "document" ? "Client metadata document" : "Registered itself"],
            ["Redirect URIs, where people’s browsers return to", <Addresses addresses={app.redirectUris} />],
            ["May", app.abilities],
            ["Home page, according to the app", app.clientUri === null ? "None" : <bdi>{app.clientUri}</bdi>],
            ["Who may use it", <a href={rulesHref(app.id)}>Groups and scopes</a>],
            ["Since", <Moment at={app.createdAt} />],
            ["Last used", <Moment at={app.lastUsedAt} />],
            ["In use", `${counted(reach.grants, "grant")} of ${counted(reach.people, "person", "people")}`],
          ]}
        />
      </section>
      {app.isPending && !app.isDisabled ? (
        <Panel title="Approve" lead="Everybody can then sign in with it; each person is asked for consent.">
          <Form action="/admin/clients/approve" frame={frame}>
            <input type="hidden" name="version" value={app.changedAt} />
            <div class="actions">
              <button type="submit" class="primary" name="id" value={app.id}>
                Approve
              </button>
            </div>
          </Form>
        </Panel>
      ) : null}
      {app.isDisabled ? (
        <Panel
          title="Enable"
          lead={
            app.isPending
              ? "It waits for approval again."
              : "People can sign in with it again, and existing grants work again."
          }
        >
          <Form action="/admin/clients/enable" frame={frame}>
            <div class="actions">
              <button type="submit" name="id" value={app.id}>
                Enable
              </button>
            </div>
          </Form>
        </Panel>
      ) : null}
      <section class="panel danger-zone">
        <h2>{app.isDisabled ? "Delete" : app.isPending ? "Deny" : "Disable or delete"}</h2>
        <p class="lead">
          {app.isDisabled
            ? "A deleted app can register again as a new one."
            : "You see what each action does before you confirm."}
        </p>
        <p class="toolbar">
          {app.isDisabled ? null : (
            <ActLink frame={frame} class="button danger" href={app.path.replace("/app?", "/disable?")}>
              {app.isPending ? "Deny…" : "Disable…"}
            </ActLink>
          )}
          <ActLink frame={frame} class="button danger" href={app.path.replace("/app?", "/delete?")}>
            Delete…
          </ActLink>
        </p>
      </section>
    </ConsoleLayout>
  );
}

function Addresses({ addresses }: { readonly addresses: readonly string[] }) {
  return (
    <>
      {addresses.map((address) => (
        <code class="id">{address}</code>
      ))}
    </>
  );
}
