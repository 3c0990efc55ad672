import type { AppShown } from "#admin-console/registration/app-shown.ts";
import { ConsoleLayout, type ConsoleFrame, DataTable, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, type Option, Switch } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { ListPages } from "#pages/views/list-pages.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface RegistrationPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly state: FormState;
  readonly presets: readonly Option[];
  readonly scopes: readonly Option[];
  /** Only approved apps may register, and none is approved. */
  readonly approvesNothing: boolean;
  /** The apps that wait for approval. */
  readonly waiting: readonly AppShown[];
  readonly next: string | undefined;
  readonly isFirst: boolean;
}

const POLICIES: readonly Option[] = [
  {
    value: "open",
    label: "Any app",
    hint: "Every app can register by itself. People are told that nobody has verified it, and are always asked.",
  },
  {
    value: "approved",
    label: "Apps whose address is approved",
    hint: "Only apps that return to an address approved below can register. Those that registered before stay.",
  },
  {
    value: "approval",
    label: "Any app, after you approve it",
    hint: "Every app can register; nobody can sign in with it before an administrator has approved it here.",
  },
  {
    value: "off",
    label: "No app",
    hint: "Apps are made by administrators alone, under Clients. Those that registered before stay.",
  },
];

/** Who may register, and who waits to be let in. */
export function RegistrationPage(props: RegistrationPageProps) {
  const { frame, state } = props;
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/registration"
      title="Registration"
      done={props.done}
      lead={
        <>
          Which apps may connect without being made by an administrator.{" "}
          <a href="/admin/registration/apps">The apps that registered</a>
        </>
      }
    >
      <Panel title="Waiting for approval">
        <DataTable
          caption="Apps that wait for approval"
          headings={["App", "Returns to", "May", "Registered", "Decide"]}
          rows={props.waiting.map((app) => [
            <a href={app.path}>
              <bdi>{app.name}</bdi>
            </a>,
            <bdi>{app.destinations}</bdi>,
            app.abilities,
            <Moment at={app.createdAt} />,
            <form method="post" action="/admin/registration/approve" class="decide">
              <input type="hidden" name="csrf_token" value={frame.csrfToken} />
              <input type="hidden" name="version" value={app.changedAt} />
              <button type="submit" name="id" value={app.id} aria-label={`Approve ${app.name}`}>
                Approve
              </button>
              <a class="button danger" href={app.path.replace("/app?", "/block?")} aria-label={`Refuse ${app.name}`}>
                Refuse…
              </a>
            </form>,
          ])}
          empty="No app waits."
        />
        <ListPages first="/admin/registration" isFirst={props.isFirst} next={props.next} />
      </Panel>
      <Panel title="Rules">
        {props.approvesNothing ? (
          <p class="notice warning">Nothing is approved below, so no app can register.</p>
        ) : null}
        <Form action="/admin/registration" csrfToken={frame.csrfToken} state={state}>
          <Choices name="registration" label="Who may register" type="radio" options={POLICIES} state={state} />
          <Choices
            name="presets"
            label="Approved apps"
            type="checkbox"
            options={props.presets}
            state={state}
            hint="These and the addresses below count where only approved addresses may register."
          />
          <LinesField
            name="approvedRedirectUris"
            label="Approved addresses"
            state={state}
            placeholder="https://app.example.com/oauth/*"
            hint="Redirect URIs, one a line. * stands for anything within one part of the path, never for a host."
          />
          <Choices
            name="dynamicScopes"
            label="What they may do"
            type="checkbox"
            options={props.scopes}
            state={state}
            hint="For all apps that no administrator made. Taking something away takes it from those that are connected too."
          />
          <Switch
            name="clientIdMetadataDocuments"
            label="Accept apps that describe themselves at their own address"
            state={state}
            hint="Such an app does not register: its id is the https address of a document about it (a client id metadata document). The rule above about who may register does not hold for it; block single ones under the apps that registered."
          />
          <SubmitRow button="Save" />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}
