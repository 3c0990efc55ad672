import { ActLink, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { LinesField, Switch, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface TransmitterPageProps {
  readonly state: FormState;
  /** The stored transmitter; `undefined` for a new one. */
  readonly stored:
    | { readonly issuer: string; readonly name: string; readonly hasHeader: boolean; readonly query: string }
    | undefined;
}

/** One transmitter, or the form for a new one. */
export function TransmitterPage({ state, stored }: TransmitterPageProps) {
  return (
    <ConsoleLayout
      title={stored?.name ?? "Add a transmitter"}
      lead="Its events are accepted if they are signed with its published keys."
    >
      <Panel title="Transmitter">
        <Form action="/admin/signals/transmitter" state={state}>
          {stored ? (
            <>
              <p>
                Issuer: <code>{stored.issuer}</code>
              </p>
              <input type="hidden" name="issuer" value={stored.issuer} />
            </>
          ) : (
            <TextField
              name="issuer"
              label="Issuer"
              required
              state={state}
              placeholder="https://signals.example.com"
              hint="The exact iss of its events, including any trailing slash."
            />
          )}
          <TextField name="name" label="Name" required state={state} maxlength={80} />
          <TextField name="audience" label="Audience" required state={state} hint="The aud of its events." />
          <TextField
            name="authorizationSecret"
            label="Authorization header"
            type="password"
            state={state}
            hint={
              stored?.hasHeader
                ? "Leave empty to keep the stored one. It is never shown."
                : "If it sends one, the whole value, such as Bearer followed by a secret. Only its hash is stored."
            }
          />
          {stored?.hasHeader ? <Switch name="withoutHeader" label="It no longer sends one" state={state} /> : null}
          <LinesField
            name="emailDomains"
            label="Email domains"
            rows={2}
            state={state}
            placeholder="acme.example"
            hint="One per line. It may sign out only people with addresses in these domains; if empty, everybody."
          />
          <TextField
            name="jwksUri"
            label="URL of its keys"
            type="url"
            state={state}
            hint="If empty, it is read from the transmitter’s ssf-configuration or openid-configuration."
          />
          <SubmitRow button="Save" leave={{ href: "/admin/signals", label: "Cancel" }} />
        </Form>
      </Panel>
      {stored ? (
        <p>
          <ActLink class="button danger" href={`/admin/signals/remove?${stored.query}`}>
            Remove…
          </ActLink>
        </p>
      ) : null}
    </ConsoleLayout>
  );
}
