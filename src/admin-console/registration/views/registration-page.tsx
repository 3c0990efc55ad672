import { knownList, t, useFrame } from "#pages/views/console-frame.ts";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { counted } from "#messages/catalogue.ts";
import { ConsoleLayout, DangerButton, DataTable, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Requests } from "#pages/views/app-requests.tsx";
import { Form, ForOption, MemberField, MemberFields, OwnFields, said, SubmitRow } from "#pages/views/form.tsx";
import { ListFoot, type ListView } from "#pages/views/list-view.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";

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
      title={t`Registration`}
      lead={t`Which apps can connect without being created by an administrator. ${<a href="/admin/clients">{t`All apps`}</a>}`}
    >
      <Waiting {...props} />
      <Panel title={t`Rules`}>
        {props.approvesNothing ? (
          <p class="notice warning">{t`Nothing is approved below, so no app can connect.`}</p>
        ) : null}
        <Form action="/admin/registration" state={state}>
          <MemberField fields={fields} name="registration" state={state} />
          <ForOption option="approved">
            <Choices
              name="presets"
              label={t`Approved apps`}
              type="checkbox"
              options={props.presets.map(said)}
              state={state}
              hint={t`These apps can connect, as well as apps with the addresses below. (local): any program on the person’s computer can use its address.`}
            />
            <details>
              <summary>{t`Which addresses this approves`}</summary>
              <Facts facts={props.presetAddresses} />
            </details>
            <MemberField fields={fields} name="approvedRedirectUris" state={state} />
          </ForOption>
          <MemberFields fields={others} state={state} />
          <SubmitRow button={t`Save`} />
        </Form>
        <p>{t`${<a href={props.rulesHref}>{t`Choose which groups may use apps that no administrator created`}</a>}, and ${<a href={props.contentHref}>{t`what these apps may search`}</a>}. An app that you disable or restrict can register again; these rules still apply to it.`}</p>
      </Panel>
    </ConsoleLayout>
  );
}

/** The apps that wait for approval, each with buttons to approve or deny it. */
function Waiting({ waiting, list }: RegistrationPageProps) {
  return (
    <Panel title={t`Waiting for approval`}>
      <DataTable
        caption={t`Apps waiting for approval`}
        headings={[t`App`, t`Returns to`, t`Permissions`, t`Requested by`, t`Registered`, t`Actions`]}
        rows={waiting.map((app) => [
          <>
            <a href={app.path}>
              <bdi>{app.name}</bdi>
            </a>
            {app.installs > 1 ? <span class="quiet">{t`${counted(app.installs, "install")}`}</span> : null}
          </>,
          <bdi>{app.destinations}</bdi>,
          knownList(app.abilities),
          <Requests of={app} />,
          <Moment at={app.createdAt} />,
          useFrame().refusalOf("/admin/clients/approve") === undefined ? (
            <form method="post" action="/admin/clients/approve" class="decide">
              <OwnFields />
              <input type="hidden" name="version" value={app.changedAt} />
              <button type="submit" name="id" value={app.id} aria-label={t`Approve ${app.name}`}>{t`Approve`}</button>
              <DangerButton
                href={app.path.replace("/app?", "/deny?")}
                aria-label={t`Deny ${app.name}`}
              >{t`Deny…`}</DangerButton>
            </form>
          ) : null,
        ])}
        empty={t`No apps are waiting.`}
      />
      <ListFoot list={list} />
    </Panel>
  );
}
