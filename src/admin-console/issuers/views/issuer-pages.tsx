import type { RegisteredIssuer } from "#issuers/external-issuer.ts";
import {
  Badge,
  ButtonLink,
  ConsoleLayout,
  DangerButton,
  DataTable,
  Facts,
  Panel,
  PrimaryButton,
} from "#pages/views/console-layout.tsx";
import { known, knownList, t } from "#pages/views/console-frame.ts";
import { Form, MemberFields, SubmitRow } from "#pages/views/form.tsx";
import type { Finding } from "#platform/finding.ts";
import type { Fields, FormState } from "#platform/described-members.ts";

/** Returns the address of a page about a provider. */
export function issuerPath(
  page: "issuer" | "disable" | "remove",
  { configuration }: Pick<RegisteredIssuer, "configuration">,
): string {
  return `/admin/issuers/${page}?${new URLSearchParams({ issuer: configuration.issuer }).toString()}`;
}

interface IssuersPageProps {
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

interface IssuerPageProps {
  readonly registered: RegisteredIssuer;
  /** The result of fetching its keys; `undefined` if they were not fetched. */
  readonly keys: readonly Finding[] | undefined;
  readonly fields: Fields;
  readonly state: FormState;
}

/** One provider: its state, whether its keys can be fetched, its settings, and how to disable or remove it. */
export function IssuerPage(props: IssuerPageProps) {
  const { registered, keys, state } = props;
  const { configuration, isDisabled } = registered;
  const isForAnyAudience = configuration.audiences.length === 0 && configuration.clientIdClaim !== "aud";
  return (
    <ConsoleLayout title={configuration.name}>
      <Panel title={t`State`}>
        <Facts
          facts={[
            [t`Issuer`, <code>{configuration.issuer}</code>],
            [t`Tokens`, <Badge tone={isDisabled ? "off" : "good"}>{isDisabled ? t`Refused` : t`Accepted`}</Badge>],
          ]}
        />
        {configuration.personBy === "email" && configuration.emailVouchedBy === "administrator" ? (
          <p class="notice warning">{t`An administrator vouches for every email address of this provider. Anybody there, including guests, who can set an unverified address can see what its owner may see.`}</p>
        ) : null}
        {isForAnyAudience ? (
          <p class="notice warning">{t`No audience is set. Tokens that these applications got for other services are accepted too, and those services could use them here.`}</p>
        ) : null}
        {(keys ?? []).map(({ verdict, meaning, remedy }) => (
          <p class={verdict === "ok" ? "" : "notice warning"}>
            {known(meaning)} {remedy === undefined ? null : known(remedy)}
          </p>
        ))}
        <div class="actions">
          <ButtonLink href={`${issuerPath("issuer", registered)}&check=1`}>{t`Check its keys`}</ButtonLink>
          <ButtonLink href="/admin/token-test">{t`Test a token`}</ButtonLink>
        </div>
      </Panel>
      <Panel title={t`Settings`}>
        <Form action="/admin/issuers/issuer" state={state}>
          <input type="hidden" name="issuer" value={configuration.issuer} />
          <MemberFields fields={props.fields} state={state} />
          <SubmitRow button={t`Save`} />
        </Form>
      </Panel>
      <Panel isDangerous title={t`Disable or remove`}>
        {isDisabled ? (
          <Form action="/admin/issuers/enable">
            <input type="hidden" name="issuer" value={configuration.issuer} />
            <div class="actions">
              <button type="submit">{t`Enable`}</button>
              <DangerButton href={issuerPath("remove", registered)}>{t`Remove…`}</DangerButton>
            </div>
          </Form>
        ) : (
          <div class="actions">
            <DangerButton href={issuerPath("disable", registered)}>{t`Disable…`}</DangerButton>
            <DangerButton href={issuerPath("remove", registered)}>{t`Remove…`}</DangerButton>
          </div>
        )}
      </Panel>
    </ConsoleLayout>
  );
}
