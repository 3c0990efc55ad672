import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ActLink, ConsoleLayout, type ConsoleFrame, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, type Option, Switch } from "#pages/views/fields.tsx";
import { Form, ForOption, OwnFields, SubmitRow } from "#pages/views/form.tsx";
import { ListFoot, type ListView } from "#pages/views/list-view.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface RegistrationPageProps {
  readonly frame: ConsoleFrame;
  readonly state: FormState;
  readonly presets: readonly Option[];
  readonly identityHosts: readonly Option[];
  readonly scopes: readonly Option[];
  readonly requirements: readonly Option[];
  /** The address of the rules for all apps that no administrator created. */
  readonly rulesHref: string;
  /** Whether only approved apps can register and none is approved. */
  readonly approvesNothing: boolean;
  /** The apps that wait for approval. */
  readonly waiting: readonly AppShown[];
  readonly list: ListView;
}

const POLICIES: readonly Option[] = [
  {
    value: "open",
    label: "Any app",
    hint: "Every app can connect. People see that it is not verified, and are always asked.",
  },
  {
    value: "approved",
    label: "Apps with an approved address",
    hint: "Only apps that are approved below, by name or redirect URI, can connect. Apps that are already registered stay.",
  },
  {
    value: "approval",
    label: "Any app, after you approve it",
    hint: "People can use an app only after an administrator has approved it here. Apps that are already registered stay.",
  },
  {
    value: "off",
    label: "No app",
    hint: "People can sign in only with apps that an administrator created or approved, under Apps. Existing grants work until they end.",
  },
];

/** Which apps may register, and which wait for approval. */
export function RegistrationPage(props: RegistrationPageProps) {
  const { frame, state } = props;
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/registration"
      title="Registration"
      lead={
        <>
          Which apps can connect without being created by an administrator. <a href="/admin/clients">All apps</a>
        </>
      }
    >
      <Waiting {...props} />
      <Panel title="Rules">
        {props.approvesNothing ? <p class="notice warning">Nothing is approved below, so no app can connect.</p> : null}
        <Form action="/admin/registration" frame={frame} state={state}>
          <Choices
            name="registration"
            label="Apps that no administrator created"
            type="radio"
            options={POLICIES}
            state={state}
          />
          <ForOption option="approved">
            <Choices
              name="presets"
              label="Approved apps"
              type="checkbox"
              options={props.presets}
              state={state}
              hint="These apps can connect, as well as apps with the addresses below."
            />
            <LinesField
              name="approvedRedirectUris"
              label="Approved addresses"
              state={state}
              placeholder="https://app.example.com/oauth/*"
              hint="Redirect URIs, one per line. * matches anything within one segment of the path, never a host."
            />
          </ForOption>
          <Choices
            name="dynamicScopes"
            label="Scopes"
            type="checkbox"
            options={props.scopes}
            state={state}
            hint="For all apps that no administrator created: never all scopes. Removing a scope also removes it from connected apps."
          />
          <Choices
            name="identityHosts"
            label="Apps that may also ask who people are"
            type="checkbox"
            options={props.identityHosts}
            state={state}
            hint="These apps can also have “Recognise” and “Name and email”, where they are recognised by their maker’s web address. Connected apps have to connect again."
          />
          <Switch
            name="clientIdMetadataDocuments"
            label="Accept apps with a client metadata document"
            state={state}
            hint="Such an app doesn’t register: its client id is the URL of a document about it. The rule above applies to it too."
          />
          <Choices
            name="appRequirements"
            label="What all apps must do"
            type="checkbox"
            options={props.requirements}
            state={state}
            hint="Few apps support these. Others are refused within 10 seconds, even if they are connected."
          />
          <SubmitRow button="Save" />
        </Form>
        <p>
          <a href={props.rulesHref}>Choose which groups may use apps that no administrator created</a>. An app that you
          disable or restrict can register again; these rules still apply to it.
        </p>
      </Panel>
    </ConsoleLayout>
  );
}

/** The apps that wait for approval, each with buttons to approve or deny it. */
function Waiting({ frame, waiting, list }: RegistrationPageProps) {
  return (
    <Panel title="Waiting for approval">
      <DataTable
        caption="Apps waiting for approval"
        headings={["App", "Returns to", "May", "Registered", "Decide"]}
        rows={waiting.map((app) => [
          <a href={app.path}>
            <bdi>{app.name}</bdi>
          </a>,
          <bdi>{app.destinations}</bdi>,
          app.abilities,
          <Moment at={app.createdAt} />,
          frame.refusalOf("/admin/clients/approve") === undefined ? (
            <form method="post" action="/admin/clients/approve" class="decide">
              <OwnFields frame={frame} />
              <input type="hidden" name="version" value={app.changedAt} />
              <button type="submit" name="id" value={app.id} aria-label={`Approve ${app.name}`}>
                Approve
              </button>
              <ActLink
                frame={frame}
                class="button danger"
                href={app.path.replace("/app?", "/disable?")}
                aria-label={`Deny ${app.name}`}
              >
                Deny…
              </ActLink>
            </form>
          ) : null,
        ])}
        empty="No apps are waiting."
      />
      <ListFoot list={list} one="app" />
    </Panel>
  );
}
