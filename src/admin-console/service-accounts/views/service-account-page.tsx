import { ActButton, ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, TextField } from "#pages/views/fields.tsx";
import { Form, ForOption, SubmitRow } from "#pages/views/form.tsx";
import { MemberFields } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import type { ServiceAccount } from "#service-accounts/service-account.ts";

const LIST = "/admin/service-accounts";

const PROOFS = [
  { value: "keys", label: "Its own key", hint: "It signs each request for a token (private_key_jwt)." },
  {
    value: "workload",
    label: "Its platform’s tokens",
    hint: "CI systems, Kubernetes and clouds give workloads tokens. No secret is stored.",
  },
  {
    value: "client",
    label: "An app with a metadata document",
    hint: "The app works unattended, too: it signs with the keys that its document names.",
  },
];

export interface ServiceAccountPageProps {
  readonly state: FormState;
  readonly fields: Fields;
  readonly workload: Fields;
  /** `undefined` for a new account. */
  readonly stored: ServiceAccount | undefined;
}

/** One service account, or the form for a new one. */
export function ServiceAccountPage({ state, fields, workload, stored }: ServiceAccountPageProps) {
  const path = `${LIST}/${stored?.id ?? "new"}`;
  return (
    <ConsoleLayout title={stored?.name ?? "Create a service account"}>
      {stored ? <AccountFacts account={stored} /> : null}
      <Panel title="What it may do" lead="Changes reach running tokens within 10 seconds.">
        <Form action={path} state={state}>
          <MemberFields fields={fields} state={state} />
          <Choices name="proof" label="Authentication" type="radio" options={PROOFS} state={state} />
          <ForOption option="keys">
            <LinesField
              name="keys"
              label="Public keys"
              rows={2}
              state={state}
              placeholder="https://agent.example.com/jwks.json"
              hint="The https URL of its JWK Set, or the set itself."
            />
          </ForOption>
          <ForOption option="workload">
            <MemberFields fields={workload} state={state} />
          </ForOption>
          <ForOption option="client">
            <TextField
              name="client"
              label="Client id"
              state={state}
              placeholder="https://agent.example.com/client.json"
              hint="The https URL of its client metadata document. Whoever controls this address gets the account’s access."
            />
          </ForOption>
          <SubmitRow button={stored ? "Save" : "Create"} leave={{ href: LIST, label: "Cancel" }} />
        </Form>
      </Panel>
      {stored ? <Ending path={path} isDisabled={stored.isDisabled} /> : null}
    </ConsoleLayout>
  );
}

function AccountFacts({ account }: { readonly account: ServiceAccount }) {
  const { id, createdAt, lastUsedAt, isDisabled } = account;
  return (
    <Facts
      facts={[
        ["Client id", <code class="id">{id}</code>],
        ["State", isDisabled ? "Disabled" : "Enabled"],
        ["What it may search", <a href={`${LIST}/content?app=${id}`}>Conditions</a>],
        ["Created", <Moment at={createdAt} />],
        ["Last token", <Moment at={lastUsedAt} never="Never" />],
      ]}
    />
  );
}

function Ending(props: { readonly path: string; readonly isDisabled: boolean }) {
  const { path, isDisabled } = props;
  return (
    <Panel title="End its access">
      {isDisabled ? (
        <Form action={`${path}/enable`}>
          <SubmitRow button="Enable" look={null} />
        </Form>
      ) : null}
      <p class="actions">
        {isDisabled ? null : <ActButton href={`${path}/disable`}>Disable…</ActButton>}
        <DangerButton href={`${path}/delete`}>Delete…</DangerButton>
      </p>
    </Panel>
  );
}
