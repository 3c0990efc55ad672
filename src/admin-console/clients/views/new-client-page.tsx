import { ConsoleLayout, type ConsoleFrame, Panel } from "#pages/views/console-layout.tsx";
import { Choices, type Option } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import { ClientFields, KeysField } from "./client-fields.tsx";

export interface NewClientPageProps {
  readonly frame: ConsoleFrame;
  readonly scopes: readonly Option[];
  readonly state: FormState;
}

const KINDS: readonly Option[] = [
  {
    value: "public",
    label: "Public",
    hint: "It runs on people’s own devices or in their browsers, where nothing can be kept secret.",
  },
  {
    value: "confidential",
    label: "Confidential",
    hint: "It runs on a server, and proves itself with a secret that you put there.",
  },
  {
    value: "keys",
    label: "Confidential, with a key of its own",
    hint: "It runs on a server, and signs its requests (private_key_jwt). No secret has to be copied.",
  },
];

/** Makes an app. */
export function NewClientPage({ frame, scopes, state }: NewClientPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/clients"
      title="Make an app"
      lead="Each person who uses it still signs in and is asked; it sees what that person may see, and no more."
    >
      <Panel title="About the app">
        <Form action="/admin/clients/new" csrfToken={frame.csrfToken} state={state}>
          <ClientFields scopes={scopes} state={state} />
          <Choices name="kind" label="Where it runs" type="radio" options={KINDS} state={state} />
          <KeysField hint="Only for an app with a key of its own." state={state} />
          <SubmitRow button="Make the app" leave={{ href: "/admin/clients", label: "Cancel" }} />
        </Form>
      </Panel>
    </ConsoleLayout>
  );
}
