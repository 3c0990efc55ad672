import { ActButton, ConsoleLayout, DangerButton, Facts, Moment, Panel } from "#pages/views/console-layout.tsx";
import { Choices, LinesField, TextField } from "#pages/views/fields.tsx";
import { Form, ForOption, MemberFields, SubmitRow } from "#pages/views/form.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";
import { t } from "#pages/views/console-frame.ts";
import type { ServiceAccount } from "#service-accounts/service-account.ts";

const LIST = "/admin/service-accounts";

const proofs = () => [
  { value: "keys", label: t`Its own key`, hint: t`It signs each request for a token (private_key_jwt).` },
  {
    value: "workload",
    label: t`Its platform’s tokens`,
    hint: t`CI systems, Kubernetes and clouds give workloads tokens. No secret is stored.`,
  },
  {
    value: "client",
    label: t`An app with a metadata document`,
    hint: t`The app works unattended, too: it signs with the keys that its document names.`,
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
    <ConsoleLayout title={stored?.name ?? t`Create a service account`}>
      {stored ? <AccountFacts account={stored} /> : null}
      <Panel title={t`What it may do`} lead={t`Changes reach running tokens within 10 seconds.`}>
        <Form action={path} state={state}>
          <MemberFields fields={fields} state={state} />
          <Choices name="proof" label={t`Authentication`} type="radio" options={proofs()} state={state} />
          <ForOption option="keys">
            <LinesField
              name="keys"
              label={t`Public keys`}
              rows={2}
              state={state}
              placeholder="https://agent.example.com/jwks.json"
              hint={t`The https URL of its JWK Set, or the set itself.`}
            />
          </ForOption>
          <ForOption option="workload">
            <MemberFields fields={workload} state={state} />
          </ForOption>
          <ForOption option="client">
            <TextField
              name="client"
              label={t`Client id`}
              state={state}
              placeholder="https://agent.example.com/client.json"
              hint={t`The https URL of its client metadata document. Whoever controls this address gets the account’s access.`}
            />
          </ForOption>
          <SubmitRow button={stored ? t`Save` : t`Create`} leave={{ href: LIST, label: t`Cancel` }} />
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
        [t`Client id`, <code class="id">{id}</code>],
        [t`State`, isDisabled ? t`Disabled` : t`Enabled`],
        [t`What it may search`, <a href={`${LIST}/content?app=${id}`}>{t`Conditions`}</a>],
        [t`Created`, <Moment at={createdAt} />],
        [t`Last token`, <Moment at={lastUsedAt} never={t`Never`} />],
      ]}
    />
  );
}

function Ending(props: { readonly path: string; readonly isDisabled: boolean }) {
  const { path, isDisabled } = props;
  return (
    <Panel title={t`End its access`}>
      {isDisabled ? (
        <Form action={`${path}/enable`}>
          <SubmitRow button={t`Enable`} look={null} />
        </Form>
      ) : null}
      <p class="actions">
        {isDisabled ? null : <ActButton href={`${path}/disable`}>{t`Disable…`}</ActButton>}
        <DangerButton href={`${path}/delete`}>{t`Delete…`}</DangerButton>
      </p>
    </Panel>
  );
}
