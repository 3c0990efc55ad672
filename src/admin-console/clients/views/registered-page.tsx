import { Requests } from "#pages/views/app-requests.tsx";
import { AppState } from "#pages/views/app-state.tsx";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { InUse } from "./in-use.tsx";
import { contentHref } from "./content-page.tsx";
import { rulesHref } from "./rules-page.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Form, HiddenFields, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface AppPageProps {
  readonly app: AppShown;
  /** How many people use it, with how many grants. */
  readonly reach: { readonly people: number; readonly grants: number };
  readonly requirements: readonly Option[];
  /** The requirements for all apps, and those that this app declared for itself. */
  readonly ofAll: readonly Option[];
  readonly ofItself: readonly Option[];
  readonly state: FormState;
}

/** An app that no administrator created: what is known about it, and what can be decided. */
export function AppPage({ app, reach, requirements, ofAll, ofItself, state }: AppPageProps) {
  return (
    <ConsoleLayout title="App" lead={<a href="/admin/clients">All apps</a>}>
      <Panel title={<bdi>{app.name}</bdi>}>
        <Facts
          facts={[
            ["State", <AppState app={app} />],
            ["Client id", <code class="id">{app.id}</code>],
            ["Recognised by", recognitionOf(app)],
            ["Origin", app.kind === "document" ? "Client metadata document" : "Registered itself"],
            ["Redirect URIs, where people’s browsers return to", <Addresses addresses={app.redirectUris} />],
            ["Permissions", app.abilities],
            ["Home page, according to the app", app.clientUri === null ? "None" : <bdi>{app.clientUri}</bdi>],
            ["Who may use it", <a href={rulesHref(app.app)}>Groups and scopes</a>],
            ["What it may search", <a href={contentHref("clients", app.app)}>Conditions</a>],
            ["Installs", installsOf(app)],
            ["Requested by", app.requests.length === 0 ? "Nobody" : <Requests of={app} />],
            ["Added", <Moment at={app.createdAt} />],
            ["Last used", <Moment at={app.lastUsedAt} />],
            ["In use", <InUse clientId={app.id} reach={reach} />],
          ]}
        />
      </Panel>
      {app.isDisabled ? null : (
        <Panel
          title="Requirements"
          lead="Applies from the app’s next request for a token. Few apps support this today."
        >
          <Form action="/admin/clients/app" state={state}>
            <HiddenFields values={{ id: app.id, version: String(app.changedAt) }} />
            <Choices
              name="requirements"
              label="Required of this app"
              type="checkbox"
              options={requirements}
              state={state}
              hint={alsoRequired(ofAll, ofItself)}
            />
            <SubmitRow button="Save" />
          </Form>
        </Panel>
      )}
      <Decisions app={app} />
    </ConsoleLayout>
  );
}

/** The possible decisions in the app's current state: approve, enable, deny, disable or delete it. */
function Decisions({ app }: Pick<AppPageProps, "app">) {
  return (
    <>
      {app.isApproved || app.isDisabled ? null : (
        <Panel
          title="Approve"
          lead={
            app.isPending
              ? "Everybody can then sign in with it, also with later installs that have no more than this one; each person is asked for consent."
              : "People can then sign in with it even while no app is accepted that no administrator created."
          }
        >
          <Form action="/admin/clients/approve">
            <input type="hidden" name="version" value={app.changedAt} />
            <SubmitRow button="Approve" sends={{ name: "id", value: app.id }} />
          </Form>
        </Panel>
      )}
      {app.deniedInstalls > 0 ? (
        <Panel
          title="Enable"
          lead="People can sign in with it again, and existing grants work again. What was never approved waits again."
        >
          <Form action="/admin/clients/enable">
            <SubmitRow button="Enable" look={null} sends={{ name: "id", value: app.id }} />
          </Form>
        </Panel>
      ) : null}
      <Panel
        isDangerous
        title={app.isDisabled ? "Delete" : app.isPending ? "Deny" : "Disable or delete"}
        lead="Applies to all installs, also later ones. A deleted app can register again, and then waits for approval as a new one does."
      >
        <p class="toolbar">
          {app.isDisabled ? null : (
            <DangerButton href={app.path.replace("/app?", app.isPending ? "/deny?" : "/disable?")}>
              {app.isPending ? "Deny…" : "Disable…"}
            </DangerButton>
          )}
          <DangerButton href={app.path.replace("/app?", "/delete?")}>Delete…</DangerButton>
        </p>
      </Panel>
    </>
  );
}

/** Says which requirements apply regardless of what is ticked here. */
function alsoRequired(ofAll: readonly Option[], ofItself: readonly Option[]): string | undefined {
  const labels = (options: readonly Option[]) => options.map(({ label }) => label).join(", ");
  const all = ofAll.length === 0 ? [] : [`Of all apps: ${labels(ofAll)} (change it under Registration).`];
  const itself = ofItself.length === 0 ? [] : [`Registered by the app itself: ${labels(ofItself)}.`];
  return [...all, ...itself].join(" ") || undefined;
}

/** Says by what installs count as this app. */
function recognitionOf({ kind, knownHost, isLocal }: AppShown): string {
  if (kind === "document")
    return knownHost === undefined ? "Its metadata document" : `${knownHost}’s metadata document`;
  if (knownHost !== undefined) return `This name, and addresses of ${knownHost}`;
  if (isLocal) return "Only this name: it runs on people’s own computers, where any program can use the same name";
  return "This name, and exactly these hosts: the app chose its own name";
}

function installsOf({ installs, deniedInstalls }: AppShown): string {
  return deniedInstalls > 0 && deniedInstalls < installs
    ? `${installs}, of which ${deniedInstalls} denied: they differ from what was approved`
    : String(installs);
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
