import { ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Form, ForOption, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import { ClientFields, KeysField } from "./client-fields.tsx";

export interface NewClientPageProps {
  readonly scopes: readonly Option[];
  readonly requirements: readonly Option[];
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
export function NewClientPage({ scopes, requirements, state }: NewClientPageProps) {
  return (
    <ConsoleLayout
      title="Create an app"
      lead="Each person still signs in and is asked for consent. The app sees only documents that this person may see."
    >
      <Panel title="About the app">
        <Form action="/admin/clients/new" state={state}>
          <ClientFields scopes={scopes} requirements={requirements} state={state} />
          <Choices name="kind" label="Where it runs" type="radio" options={KINDS} state={state} />
          <ForOption option="keys">
            <KeysField hint="The app signs its requests with one of them." state={state} />
          </ForOption>
          <SubmitRow button="Create the app" leave={{ href: "/admin/clients", label: "Cancel" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}
