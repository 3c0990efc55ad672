import { Address } from "#pages/views/address.tsx";
import { ConsoleLayout, DangerButton, DataTable, Moment, Panel, PrimaryButton } from "#pages/views/console-layout.tsx";
import { t } from "#pages/views/console-frame.ts";
import type { StoredTransmitter } from "#signals/transmitter.ts";
import { Switch, TextField } from "#pages/views/fields.tsx";
import { Form, MemberField, SubmitRow } from "#pages/views/form.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";

/** Returns the address of a page about a transmitter. */
export function transmitterPath(page: "transmitter" | "remove", issuer: string): string {
  return `/admin/signals/${page}?${new URLSearchParams({ issuer }).toString()}`;
}

interface SignalsPageProps {
  readonly addresses: { readonly events: string; readonly revocation: string; readonly logout: string };
  readonly transmitters: readonly StoredTransmitter[];
}

/** The systems that may sign people out, and the URLs for them. */
export function SignalsPage({ addresses, transmitters }: SignalsPageProps) {
  return (
    <ConsoleLayout
      title={t`Sign-out signals`}
      lead={t`Your identity provider and security systems can end people’s access here within 10 seconds. People may sign in again.`}
    >
      <Panel title={t`Your single sign-on`}>
        <Address
          id="logout-uri"
          label={t`Back-channel logout URL`}
          value={addresses.logout}
          hint={t`OpenID Connect Back-Channel Logout. Have the SSO send the session id (sid): without it, each sign-out ends all of the person’s access.`}
        />
        <Address
          id="revocation-uri"
          label={t`Global token revocation URL`}
          value={addresses.revocation}
          hint={t`Okta calls this Universal Logout. It ends all of a person’s access.`}
        />
      </Panel>
      <Panel
        title={t`Transmitters`}
        lead={t`Systems that send Shared Signals events, such as risk detection or device management.`}
      >
        <Address id="events-uri" label={t`Events URL`} value={addresses.events} hint={t`Push delivery (RFC 8935).`} />
        <div class="toolbar">
          <PrimaryButton href="/admin/signals/transmitter">{t`Add a transmitter`}</PrimaryButton>
        </div>
        <DataTable
          caption={t`Transmitters whose events are accepted`}
          headings={[t`Name`, t`Issuer`, t`Audience`, t`Verified`]}
          rows={transmitters.map(({ configuration: { issuer, name, audience }, verifiedAt }) => [
            <a href={transmitterPath("transmitter", issuer)}>
              <bdi>{name}</bdi>
            </a>,
            <code>{issuer}</code>,
            <code>{audience}</code>,
            <Moment at={verifiedAt} never={t`Never`} />,
          ])}
          empty={t`No transmitters. Security events are refused.`}
        />
      </Panel>
    </ConsoleLayout>
  );
}

interface TransmitterPageProps {
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
