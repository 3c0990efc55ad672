import type { RegisteredIssuer } from "#issuers/registration.ts";
import {
  Badge,
  ButtonLink,
  ConsoleLayout,
  DangerButton,
  DataTable,
  Panel,
  PrimaryButton,
} from "#pages/views/console-layout.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";

/** Returns the address of a page about a provider. */
export function issuerPath(
  page: "issuer" | "disable" | "remove",
  { configuration }: Pick<RegisteredIssuer, "configuration">,
): string {
  return `/admin/issuers/${page}?${new URLSearchParams({ issuer: configuration.issuer }).toString()}`;
}

export interface IssuersPageProps {
  readonly isOn: boolean;
  /** The header with which apps announce a provider's token. */
  readonly authTypeHeader: string;
  /** `abilities`: the scopes of its tokens, in words. */
  readonly issuers: readonly (RegisteredIssuer & { readonly abilities: string })[];
}

/** The identity providers whose access tokens the Client API accepts. */
export function IssuersPage({ isOn, authTypeHeader, issuers }: IssuersPageProps) {
  return (
    <ConsoleLayout
      title="Identity providers"
      lead={`Apps that sign people in at your identity provider can search with the access tokens they get there, if they also send the header ${authTypeHeader}: OAUTH. This is independent of OAuth for apps and of single sign-on.`}
    >
      <div class="toolbar">
        <PrimaryButton href="/admin/issuers/new">Add a provider</PrimaryButton>
        <ButtonLink href="/admin/token-test">Test a token</ButtonLink>
      </div>
      <DataTable
        caption="Identity providers whose tokens are accepted"
        headings={["Name", "Issuer", "Applications", "Permissions", "State"]}
        rows={issuers.map((issuer) => [
          <a href={issuerPath("issuer", issuer)}>
            <bdi>{issuer.configuration.name}</bdi>
          </a>,
          <code>{issuer.configuration.issuer}</code>,
          String(issuer.configuration.clientIds.length),
          issuer.abilities,
          <Badge tone={issuer.isDisabled ? "off" : "good"}>{issuer.isDisabled ? "Disabled" : "Enabled"}</Badge>,
        ])}
        empty="No providers. Identity providers’ tokens are refused."
      />
      <Panel title="All providers">
        <p>
          <Badge tone={isOn ? "good" : "off"}>{isOn ? "Accepted" : "Refused"}</Badge>{" "}
          {isOn ? "Tokens of the enabled providers above are accepted." : "All identity providers’ tokens are refused."}
        </p>
        {isOn ? (
          <p>
            <DangerButton href="/admin/settings/refuse-external-tokens">Refuse all…</DangerButton>
          </p>
        ) : (
          <Form action="/admin/settings/take-external-tokens">
            <SubmitRow button="Accept again" />
          </Form>
        )}
      </Panel>
    </ConsoleLayout>
  );
}
