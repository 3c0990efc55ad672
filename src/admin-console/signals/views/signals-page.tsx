import { Address } from "#pages/views/address.tsx";
import { ConsoleLayout, DataTable, Moment, Panel, PrimaryButton } from "#pages/views/console-layout.tsx";
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
      title="Sign-out signals"
      lead="Your identity provider and security systems can end people’s access here within 10 seconds. People may sign in again."
    >
      <Panel title="Your single sign-on">
        <Address
          id="logout-uri"
          label="Back-channel logout URL"
          value={addresses.logout}
          hint="OpenID Connect Back-Channel Logout. Have the SSO send the session id (sid): without it, each sign-out ends all of the person’s access."
        />
        <Address
          id="revocation-uri"
          label="Global token revocation URL"
          value={addresses.revocation}
          hint="Okta calls this Universal Logout. It ends all of a person’s access."
        />
      </Panel>
      <Panel
        title="Transmitters"
        lead="Systems that send Shared Signals events, such as risk detection or device management."
      >
        <Address id="events-uri" label="Events URL" value={addresses.events} hint="Push delivery (RFC 8935)." />
        <div class="toolbar">
          <PrimaryButton href="/admin/signals/transmitter">Add a transmitter</PrimaryButton>
        </div>
        <DataTable
          caption="Transmitters whose events are accepted"
          headings={["Name", "Issuer", "Audience", "Verified"]}
          rows={transmitters.map(({ configuration: { issuer, name, audience }, verifiedAt }) => [
            <a href={transmitterPath("transmitter", issuer)}>
              <bdi>{name}</bdi>
            </a>,
            <code>{issuer}</code>,
            <code>{audience}</code>,
            <Moment at={verifiedAt} never="Never" />,
          ])}
          empty="No transmitters. Security events are refused."
        />
      </Panel>
    </ConsoleLayout>
  );
}
