import { Requests } from "#pages/views/app-requests.tsx";
import { AppState } from "#pages/views/app-state.tsx";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { InUse } from "./in-use.tsx";
import { contentHref, rulesHref } from "./limits-pages.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Form, HiddenFields, said, SubmitRow } from "#pages/views/form.tsx";
import { known, knownList, t } from "#pages/views/console-frame.ts";
import type { FormState } from "#platform/described-members.ts";

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
    <ConsoleLayout title={t`App`} lead={<a href="/admin/clients">{t`All apps`}</a>}>
      <Panel title={<bdi>{app.name}</bdi>}>
        <Facts
          facts={[
            [t`State`, <AppState app={app} />],
            [t`Client id`, <code class="id">{app.id}</code>],
            [t`Recognised by`, recognitionOf(app)],
            [t`Origin`, app.kind === "document" ? t`Client metadata document` : t`Registered itself`],
            [t`Redirect URIs, where people’s browsers return to`, <Addresses addresses={app.redirectUris} />],
            [t`Permissions`, knownList(app.abilities)],
            [t`Home page, according to the app`, app.clientUri === null ? t`None` : <bdi>{app.clientUri}</bdi>],
            [t`Who may use it`, <a href={rulesHref(app.app)}>{t`Groups and scopes`}</a>],
            [t`What it may search`, <a href={contentHref("clients", app.app)}>{t`Conditions`}</a>],
            [t`Installs`, installsOf(app)],
            [t`Requested by`, app.requests.length === 0 ? t`Nobody` : <Requests of={app} />],
            [t`Added`, <Moment at={app.createdAt} />],
            [t`Last used`, <Moment at={app.lastUsedAt} />],
            [t`In use`, <InUse clientId={app.id} reach={reach} />],
          ]}
        />
      </Panel>
      {app.isDisabled ? null : (
        <Panel
          title={t`Requirements`}
          lead={t`Applies from the app’s next request for a token. Few apps support this today.`}
        >
          <Form action="/admin/clients/app" state={state}>
            <HiddenFields values={{ id: app.id, version: String(app.changedAt) }} />
            <Choices
              name="requirements"
              label={t`Required of this app`}
              type="checkbox"
              options={requirements.map(said)}
              state={state}
              hint={alsoRequired(ofAll, ofItself)}
            />
            <SubmitRow button={t`Save`} />
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
          title={t`Approve`}
          lead={
            app.isPending
              ? t`Everybody can then sign in with it, also with later installs that have no more than this one; each person is asked for consent.`
              : t`People can then sign in with it even while no app is accepted that no administrator created.`
          }
        >
          <Form action="/admin/clients/approve">
            <input type="hidden" name="version" value={app.changedAt} />
            <SubmitRow button={t`Approve`} sends={{ name: "id", value: app.id }} />
          </Form>
        </Panel>
      )}
      {app.deniedInstalls > 0 ? (
        <Panel
          title={t`Enable`}
          lead={t`People can sign in with it again, and existing grants work again. What was never approved waits again.`}
        >
          <Form action="/admin/clients/enable">
            <SubmitRow button={t`Enable`} look={null} sends={{ name: "id", value: app.id }} />
          </Form>
        </Panel>
      ) : null}
      <Panel
        isDangerous
        title={app.isDisabled ? t`Delete` : app.isPending ? t`Deny` : t`Disable or delete`}
        lead={t`Applies to all installs, also later ones. A deleted app can register again, and then waits for approval as a new one does.`}
      >
        <p class="toolbar">
          {app.isDisabled ? null : (
            <DangerButton href={app.path.replace("/app?", app.isPending ? "/deny?" : "/disable?")}>
              {app.isPending ? t`Deny…` : t`Disable…`}
            </DangerButton>
          )}
          <DangerButton href={app.path.replace("/app?", "/delete?")}>{t`Delete…`}</DangerButton>
        </p>
      </Panel>
    </>
  );
}

/** Says which requirements apply regardless of what is ticked here. */
function alsoRequired(ofAll: readonly Option[], ofItself: readonly Option[]): string | undefined {
  const labels = (options: readonly Option[]) => options.map(({ label }) => known(label)).join(", ");
  const all = ofAll.length === 0 ? [] : [t`Of all apps: ${labels(ofAll)} (change it under Registration).`];
  const itself = ofItself.length === 0 ? [] : [t`Registered by the app itself: ${labels(ofItself)}.`];
  return [...all, ...itself].join(" ") || undefined;
}

/** Says by what installs count as this app. */
function recognitionOf({ kind, knownHost, isLocal }: AppShown): string {
  if (kind === "document")
    return knownHost === undefined ? t`Its metadata document` : t`${knownHost}’s metadata document`;
  if (knownHost !== undefined) return t`This name, and addresses of ${knownHost}`;
  if (isLocal) return t`Only this name: it runs on people’s own computers, where any program can use the same name`;
  return t`This name, and exactly these hosts: the app chose its own name`;
}

function installsOf({ installs, deniedInstalls }: AppShown): string {
  return deniedInstalls > 0 && deniedInstalls < installs
    ? t`${installs}, of which ${deniedInstalls} denied: they differ from what was approved`
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
