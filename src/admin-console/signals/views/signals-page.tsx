import { Address } from "#pages/views/address.tsx";
import { ConsoleLayout, DataTable, Moment, Panel, PrimaryButton } from "#pages/views/console-layout.tsx";
import { t } from "#pages/views/console-frame.ts";
import type { StoredTransmitter } from "#signals/transmitter.ts";

/** Returns the address of a page about a transmitter. */
export function transmitterPath(page: "transmitter" | "remove", issuer: string): string {
  return `/admin/signals/${page}?${new URLSearchParams({ issuer }).toString()}`;
}

export interface SignalsPageProps {
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
