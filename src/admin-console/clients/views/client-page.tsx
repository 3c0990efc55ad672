import { Address } from "#pages/views/address.tsx";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ActButton, Badge, ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Form, ForOption, HiddenFields, MemberField, MemberFields, SubmitRow } from "#pages/views/form.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";
import { contentHref, rulesHref } from "./limits-pages.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import { InUse } from "./in-use.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";

/** A client as its own page shows it. */
interface ClientShown extends AppShown {
  readonly isConfidential: boolean;
}

interface ClientPageProps {
  readonly client: ClientShown;
  readonly issuer: string;
  readonly reach: { readonly people: number; readonly grants: number };
  readonly fields: Fields & Fields<"keys">;
  readonly state: FormState;
}

function kindOf({ isConfidential, keys }: ClientShown): string {
  if (keys !== null) return t`Confidential, with its own key`;
  return isConfidential ? t`Confidential, with a secret` : t`Public, without a secret`;
}

/** A client that an administrator created: what it is, and what can be changed. */
export function ClientPage({ client, issuer, reach, fields, state }: ClientPageProps) {
  const { keys, ...others } = fields;
  const hrefOf = (page: string) => client.path.replace("/app?", `/${page}?`);
  return (
    <ConsoleLayout title={client.name} lead={<a href="/admin/clients">{t`All apps`}</a>}>
      <Panel title={t`About this app`}>
        <Facts
          facts={[
            [
              t`State`,
              client.isDisabled ? <Badge tone="off">{t`Disabled`}</Badge> : <Badge tone="good">{t`Enabled`}</Badge>,
            ],
            [t`Kind`, kindOf(client)],
            [t`Created`, <Moment at={client.createdAt} />],
            [t`Last used`, <Moment at={client.lastUsedAt} />],
            [t`Who may use it`, <a href={rulesHref(client.id)}>{t`Groups and scopes`}</a>],
            [t`What it may search`, <a href={contentHref("clients", client.id)}>{t`Conditions`}</a>],
            [t`In use`, <InUse clientId={client.id} reach={reach} />],
          ]}
        />
      </Panel>
      {client.isDisabled ? null : (
        <Panel
          title={t`How to connect`}
          lead={t`Enter these in the app, as the MCP server and its OAuth client. People then sign in and allow the app.`}
        >
          <Address id="mcp-url" label={t`MCP URL`} value={`${issuer}/mcp`} />
          <Address id="client-id" label={t`Client id`} value={client.id} />
          <Address
            id="issuer"
            label={t`Issuer`}
            value={issuer}
            hint={t`Only for apps that don’t find it themselves.`}
          />
        </Panel>
      )}
      {client.isDisabled ? null : (
        <Panel
          title={t`Settings`}
          lead={t`If you remove a scope, existing tokens lose it within 10 seconds. If you add one, apps get it when people allow it.`}
        >
          <Form action="/admin/clients/app" state={state}>
            <HiddenFields values={{ id: client.id, version: state.values["version"] ?? [] }} />
            <MemberFields fields={others} state={state} />
            {client.keys === null ? null : (
              <MemberField
                fields={fields}
                name="keys"
                state={state}
                hint={t`Keys that you replace stop working at once. ${known(keys.hint ?? "")}`}
              />
            )}
            <SubmitRow button={t`Save`} />
          </Form>
        </Panel>
      )}
      {client.isDisabled ? (
        <Panel title={t`Enable this app`} lead={t`People can sign in with it again, and existing grants work again.`}>
          <Form action="/admin/clients/enable">
            <SubmitRow button={t`Enable the app`} sends={{ name: "id", value: client.id }} />
          </Form>
        </Panel>
      ) : null}
      <Panel
        isDangerous
        title={client.isDisabled ? t`Delete this app` : t`Disable or delete`}
        lead={t`Deleting the app revokes all of its grants.`}
      >
        <p class="toolbar">
          {client.isConfidential && !client.isDisabled ? (
            <ActButton href={hrefOf("rotate-secret")}>{t`Replace the secret…`}</ActButton>
          ) : null}
          {client.isDisabled ? null : <DangerButton href={hrefOf("disable")}>{t`Disable…`}</DangerButton>}
          <DangerButton href={hrefOf("delete")}>{t`Delete…`}</DangerButton>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}

interface NewClientPageProps {
  readonly fields: Fields & Fields<"keys">;
  readonly state: FormState;
}

const kinds = (): readonly Option[] => [
  {
    value: "public",
    label: t`Public`,
    hint: t`It runs on people’s devices or in their browsers, where it can’t keep a secret.`,
  },
  {
    value: "confidential",
    label: t`Confidential`,
    hint: t`It runs on a server and authenticates with a secret.`,
  },
  {
    value: "keys",
    label: t`Confidential, with its own key`,
    hint: t`It runs on a server and signs its requests (private_key_jwt). You don’t have to copy a secret.`,
  },
];

/** The form for a new app. */
export function NewClientPage({ fields, state }: NewClientPageProps) {
  const { keys, ...others } = fields;
  return (
    <ConsoleLayout
      title={t`Create an app`}
      lead={t`Each person still signs in and is asked for consent. The app sees only documents that this person may see.`}
    >
      <Panel title={t`About the app`}>
        <Form action="/admin/clients/new" state={state}>
          <MemberFields fields={others} state={state} />
          <Choices name="kind" label={t`Where it runs`} type="radio" options={kinds()} state={state} />
          <ForOption option="keys">
            <MemberField
              fields={fields}
              name="keys"
              state={state}
              hint={t`The app signs its requests with one of them. ${known(keys.hint ?? "")}`}
            />
          </ForOption>
          <SubmitRow button={t`Create the app`} leave={{ href: "/admin/clients", label: t`Cancel` }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}
