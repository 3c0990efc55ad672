import { ConsoleLayout, DangerButton, Panel } from "#pages/views/console-layout.tsx";
import { Switch, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { MemberField } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import type { StoredTransmitter } from "#signals/transmitter.ts";
import { t } from "#pages/views/console-frame.ts";
import { transmitterPath } from "./signals-page.tsx";

export interface TransmitterPageProps {
  readonly fields: Fields<"issuer" | "name" | "audience" | "jwksUri" | "emailDomains">;
  readonly state: FormState;
  /** The stored transmitter; `undefined` for a new one. */
  readonly stored: StoredTransmitter | undefined;
}

/** One transmitter, or the form for a new one. */
export function TransmitterPage({ fields, state, stored }: TransmitterPageProps) {
  const { issuer, name } = stored?.configuration ?? {};
  const hasHeader = stored !== undefined && stored.authorizationHash !== null;
  return (
    <ConsoleLayout
      title={name ?? t`Add a transmitter`}
      lead={t`Its events are accepted if they are signed with its published keys.`}
    >
      <Panel title={t`Transmitter`}>
        <Form action="/admin/signals/transmitter" state={state}>
          {issuer !== undefined ? (
            <>
              <p>{t`Issuer: ${<code>{issuer}</code>}`}</p>
              <input type="hidden" name="issuer" value={issuer} />
            </>
          ) : (
            <MemberField fields={fields} name="issuer" state={state} />
          )}
          <MemberField fields={fields} name="name" state={state} />
          <MemberField fields={fields} name="audience" state={state} />
          <TextField
            name="authorizationSecret"
            label={t`Authorization header`}
            type="password"
            state={state}
            hint={
              hasHeader
                ? t`Leave empty to keep the stored one. It is never shown.`
                : t`If it sends one, the whole value, such as Bearer followed by a secret. Only its hash is stored.`
            }
          />
          {hasHeader ? <Switch name="withoutHeader" label={t`It no longer sends one`} state={state} /> : null}
          <MemberField fields={fields} name="emailDomains" state={state} />
          <MemberField fields={fields} name="jwksUri" state={state} />
          <SubmitRow button={t`Save`} leave={{ href: "/admin/signals", label: t`Cancel` }} />
        </Form>
      </Panel>
      {issuer === undefined ? null : (
        <p>
          <DangerButton href={transmitterPath("remove", issuer)}>{t`Remove…`}</DangerButton>
        </p>
      )}
    </ConsoleLayout>
  );
}
