import type { RegisteredIssuer } from "#issuers/external-issuer.ts";
import {
  Badge,
  ButtonLink,
  ConsoleLayout,
  DangerButton,
  DataTable,
  Panel,
  PrimaryButton,
} from "#pages/views/console-layout.tsx";
import { knownList, t } from "#pages/views/console-frame.ts";
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
      title={t`Identity providers`}
      lead={t`Apps that sign people in at your identity provider can search with the access tokens they get there, if they also send the header ${authTypeHeader}: OAUTH. This is independent of OAuth for apps and of single sign-on.`}
    >
      <div class="toolbar">
        <PrimaryButton href="/admin/issuers/new">{t`Add a provider`}</PrimaryButton>
        <ButtonLink href="/admin/token-test">{t`Test a token`}</ButtonLink>
      </div>
      <DataTable
        caption={t`Identity providers whose tokens are accepted`}
        headings={[t`Name`, t`Issuer`, t`Applications`, t`Permissions`, t`State`]}
        rows={issuers.map((issuer) => [
          <a href={issuerPath("issuer", issuer)}>
            <bdi>{issuer.configuration.name}</bdi>
          </a>,
          <code>{issuer.configuration.issuer}</code>,
          String(issuer.configuration.clientIds.length),
          knownList(issuer.abilities),
          <Badge tone={issuer.isDisabled ? "off" : "good"}>{issuer.isDisabled ? t`Disabled` : t`Enabled`}</Badge>,
        ])}
        empty={t`No providers. Identity providers’ tokens are refused.`}
      />
      <Panel title={t`All providers`}>
        <p>
          <Badge tone={isOn ? "good" : "off"}>{isOn ? t`Accepted` : t`Refused`}</Badge>{" "}
          {isOn
            ? t`Tokens of the enabled providers above are accepted.`
            : t`All identity providers’ tokens are refused.`}
        </p>
        {isOn ? (
          <p>
            <DangerButton href="/admin/settings/refuse-external-tokens">{t`Refuse all…`}</DangerButton>
          </p>
        ) : (
          <Form action="/admin/settings/take-external-tokens">
            <SubmitRow button={t`Accept again`} />
          </Form>
        )}
      </Panel>
    </ConsoleLayout>
  );
}
