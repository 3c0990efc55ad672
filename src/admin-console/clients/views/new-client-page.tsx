import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Form, ForOption, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import { MemberField, MemberFields } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";

export interface NewClientPageProps {
  readonly fields: Fields & Fields<"keys">;
  readonly state: FormState;
}

const KINDS: readonly Option[] = [
  {
    value: "public",
    label: "Public",
    hint: "It runs on people’s devices or in their browsers, where it can’t keep a secret.",
  },
  {
    value: "confidential",
    label: "Confidential",
    hint: "It runs on a server and authenticates with a secret.",
  },
  {
    value: "keys",
    label: "Confidential, with its own key",
    hint: "It runs on a server and signs its requests (private_key_jwt). You don’t have to copy a secret.",
  },
];

/** The form for a new app. */
export function NewClientPage({ fields, state }: NewClientPageProps) {
  const { keys, ...others } = fields;
  return (
    <ConsoleLayout
      title="Create an app"
      lead="Each person still signs in and is asked for consent. The app sees only documents that this person may see."
    >
      <Panel title="About the app">
        <Form action="/admin/clients/new" state={state}>
          <MemberFields fields={others} state={state} />
          <Choices name="kind" label="Where it runs" type="radio" options={KINDS} state={state} />
          <ForOption option="keys">
            <MemberField
              fields={fields}
              name="keys"
              state={state}
              hint={`The app signs its requests with one of them. ${keys.hint}`}
            />
          </ForOption>
          <SubmitRow button="Create the app" leave={{ href: "/admin/clients", label: "Cancel" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}
