import { ActLink, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { Switch, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { MemberField } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";

export interface TransmitterPageProps {
  readonly fields: Fields<"issuer" | "name" | "audience" | "jwksUri" | "emailDomains">;
  readonly state: FormState;
  /** The stored transmitter; `undefined` for a new one. */
  readonly stored:
    | { readonly issuer: string; readonly name: string; readonly hasHeader: boolean; readonly query: string }
    | undefined;
}

/** One transmitter, or the form for a new one. */
export function TransmitterPage({ fields, state, stored }: TransmitterPageProps) {
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
            <MemberField fields={fields} name="issuer" state={state} />
          )}
          <MemberField fields={fields} name="name" state={state} />
          <MemberField fields={fields} name="audience" state={state} />
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
          <MemberField fields={fields} name="emailDomains" state={state} />
          <MemberField fields={fields} name="jwksUri" state={state} />
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
