import { useFrame } from "#pages/views/console-frame.ts";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { counted } from "#pages/views/count.ts";
import { ConsoleLayout, DangerButton, DataTable, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Requests } from "#pages/views/app-requests.tsx";
import { Form, ForOption, OwnFields, SubmitRow } from "#pages/views/form.tsx";
import { ListFoot, type ListView } from "#pages/views/list-view.tsx";
import { MemberField, MemberFields } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";

export interface RegistrationPageProps {
  readonly state: FormState;
  readonly fields: Fields & Fields<"registration" | "approvedRedirectUris">;
  readonly presets: readonly Option[];
  /** The redirect URIs of each preset, by its name. */
  readonly presetAddresses: readonly (readonly [name: string, redirectUris: string])[];
  /** The address of the rules for all apps that no administrator created. */
  readonly rulesHref: string;
  /** The address of what these apps may search. */
  readonly contentHref: string;
  /** Whether only approved apps can register and none is approved. */
  readonly approvesNothing: boolean;
  /** The apps that wait for approval. */
  readonly waiting: readonly AppShown[];
  readonly list: ListView;
}

/** Which apps may register, and which wait for approval. */
export function RegistrationPage(props: RegistrationPageProps) {
  const { fields, state } = props;
  const { registration: _which, approvedRedirectUris: _approved, ...others } = fields;
  return (
    <ConsoleLayout
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
        <Form action="/admin/registration" state={state}>
          <MemberField fields={fields} name="registration" state={state} />
          <ForOption option="approved">
            <Choices
              name="presets"
              label="Approved apps"
              type="checkbox"
              options={props.presets}
              state={state}
              hint="These apps can connect, as well as apps with the addresses below. (local): any program on the person’s computer can use its address."
            />
            <details>
              <summary>Which addresses this approves</summary>
              <Facts facts={props.presetAddresses} />
            </details>
            <MemberField fields={fields} name="approvedRedirectUris" state={state} />
          </ForOption>
          <MemberFields fields={others} state={state} />
          <SubmitRow button="Save" />
        </Form>
        <p>
          <a href={props.rulesHref}>Choose which groups may use apps that no administrator created</a>, and{" "}
          <a href={props.contentHref}>what these apps may search</a>. An app that you disable or restrict can register
          again; these rules still apply to it.
        </p>
      </Panel>
    </ConsoleLayout>
  );
}

/** The apps that wait for approval, each with buttons to approve or deny it. */
function Waiting({ waiting, list }: RegistrationPageProps) {
  return (
    <Panel title="Waiting for approval">
      <DataTable
        caption="Apps waiting for approval"
        headings={["App", "Returns to", "Permissions", "Requested by", "Registered", "Actions"]}
        rows={waiting.map((app) => [
          <>
            <a href={app.path}>
              <bdi>{app.name}</bdi>
            </a>
            {app.installs > 1 ? <span class="quiet">{counted(app.installs, "install")}</span> : null}
          </>,
          <bdi>{app.destinations}</bdi>,
          app.abilities,
          <Requests of={app} />,
          <Moment at={app.createdAt} />,
          useFrame().refusalOf("/admin/clients/approve") === undefined ? (
            <form method="post" action="/admin/clients/approve" class="decide">
              <OwnFields />
              <input type="hidden" name="version" value={app.changedAt} />
              <button type="submit" name="id" value={app.id} aria-label={`Approve ${app.name}`}>
                Approve
              </button>
              <DangerButton href={app.path.replace("/app?", "/deny?")} aria-label={`Deny ${app.name}`}>
                Deny…
              </DangerButton>
            </form>
          ) : null,
        ])}
        empty="No apps are waiting."
      />
      <ListFoot list={list} />
    </Panel>
  );
}
