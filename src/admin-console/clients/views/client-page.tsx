import { Address } from "#pages/views/address.tsx";
import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { ActButton, Badge, ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Form, HiddenFields, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import { contentHref } from "./content-page.tsx";
import { rulesHref } from "./rules-page.tsx";
import { MemberField, MemberFields } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import { InUse } from "./in-use.tsx";

/** A client as its own page shows it. */
export interface ClientShown extends AppShown {
  readonly isConfidential: boolean;
}

export interface ClientPageProps {
  readonly client: ClientShown;
  readonly issuer: string;
  readonly reach: { readonly people: number; readonly grants: number };
  readonly fields: Fields & Fields<"keys">;
  readonly state: FormState;
}

function kindOf({ isConfidential, keys }: ClientShown): string {
  if (keys !== null) return "Confidential, with its own key";
  return isConfidential ? "Confidential, with a secret" : "Public, without a secret";
}

/** A client that an administrator created: what it is, and what can be changed. */
export function ClientPage({ client, issuer, reach, fields, state }: ClientPageProps) {
  const { keys, ...others } = fields;
  const hrefOf = (page: string) => client.path.replace("/app?", `/${page}?`);
  return (
    <ConsoleLayout title={client.name} lead={<a href="/admin/clients">All apps</a>}>
      <Panel title="About this app">
        <Facts
          facts={[
            ["State", client.isDisabled ? <Badge tone="off">Disabled</Badge> : <Badge tone="good">Enabled</Badge>],
            ["Kind", kindOf(client)],
            ["Created", <Moment at={client.createdAt} />],
            ["Last used", <Moment at={client.lastUsedAt} />],
            ["Who may use it", <a href={rulesHref(client.id)}>Groups and scopes</a>],
            ["What it may search", <a href={contentHref("clients", client.id)}>Conditions</a>],
            ["In use", <InUse clientId={client.id} reach={reach} />],
          ]}
        />
      </Panel>
      {client.isDisabled ? null : (
        <Panel
          title="How to connect"
          lead="Enter these in the app, as the MCP server and its OAuth client. People then sign in and allow the app."
        >
          <Address id="mcp-url" label="MCP URL" value={`${issuer}/mcp`} />
          <Address id="client-id" label="Client id" value={client.id} />
          <Address id="issuer" label="Issuer" value={issuer} hint="Only for apps that don’t find it themselves." />
        </Panel>
      )}
      {client.isDisabled ? null : (
        <Panel
          title="Settings"
          lead="If you remove a scope, existing tokens lose it within 10 seconds. If you add one, apps get it when people allow it."
        >
          <Form action="/admin/clients/app" state={state}>
            <HiddenFields values={{ id: client.id, version: state.values["version"] ?? [] }} />
            <MemberFields fields={others} state={state} />
            {client.keys === null ? null : (
              <MemberField
                fields={fields}
                name="keys"
                state={state}
                hint={`Keys that you replace stop working at once. ${keys.hint}`}
              />
            )}
            <SubmitRow button="Save" />
          </Form>
        </Panel>
      )}
      {client.isDisabled ? (
        <Panel title="Enable this app" lead="People can sign in with it again, and existing grants work again.">
          <Form action="/admin/clients/enable">
            <SubmitRow button="Enable the app" sends={{ name: "id", value: client.id }} />
          </Form>
        </Panel>
      ) : null}
      <Panel
        isDangerous
        title={client.isDisabled ? "Delete this app" : "Disable or delete"}
        lead="Deleting the app revokes all of its grants."
      >
        <p class="toolbar">
          {client.isConfidential && !client.isDisabled ? (
            <ActButton href={hrefOf("rotate-secret")}>Replace the secret…</ActButton>
          ) : null}
          {client.isDisabled ? null : <DangerButton href={hrefOf("disable")}>Disable…</DangerButton>}
          <DangerButton href={hrefOf("delete")}>Delete…</DangerButton>
        </p>
      </Panel>
    </ConsoleLayout>
  );
}
