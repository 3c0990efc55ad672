import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Form, ForOption, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import { MemberField, MemberFields } from "#pages/views/member-field.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import type { Fields } from "#platform/described-members.ts";

export interface NewClientPageProps {
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
