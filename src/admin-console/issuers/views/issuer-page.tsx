import type { Finding } from "#platform/finding.ts";
import { Badge, ButtonLink, ConsoleLayout, DangerButton, Facts, Panel } from "#pages/views/console-layout.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import { MemberFields } from "#pages/views/member-field.tsx";
import type { Fields } from "#platform/described-members.ts";
import type { FormState } from "#platform/form-state.ts";
import type { RegisteredIssuer } from "#issuers/external-issuer.ts";
import { known, t } from "#pages/views/console-frame.ts";
import { issuerPath } from "./issuers-page.tsx";

export interface IssuerPageProps {
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
