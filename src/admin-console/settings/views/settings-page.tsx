import { t, useFrame } from "#pages/views/console-frame.ts";
import { Badge, ConsoleLayout, DangerButton, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#messages/catalogue.ts";
import { FileField } from "#pages/views/fields.tsx";
import { Form, MemberField, MemberFields, SubmitRow } from "#pages/views/form.tsx";
import type { Fields, FormState } from "#platform/described-members.ts";
import type { Reach } from "#grants/grants.ts";

export interface SettingsPageProps {
  /** The instance's name, as in its address. */
  readonly name: string;
  readonly fields: Fields & Fields<"displayName">;
  readonly settings: FormState;
  readonly logo: FormState;
  readonly reach: Reach;
  readonly sessions: number;
  /** The number of enabled identity providers. */
  readonly issuers: number;
  readonly takesExternalTokens: boolean;
}

/** The organisation's name, contact and logo, settings of search and the audit log, and actions that end all access. */
export function SettingsPage(props: SettingsPageProps) {
  const { name, fields, settings, logo } = props;
  const { displayName, ...others } = fields;
  const { logo: shown } = useFrame();
  return (
    <ConsoleLayout title={t`Settings`}>
      <Panel
        title={t`Organisation`}
        lead={t`People see the name and the contact when they sign in, allow an app, or get an error.`}
      >
        <Form action="/admin/settings" state={settings}>
          <MemberField
            fields={{ displayName }}
            name="displayName"
            state={settings}
            placeholder={name}
            hint={t`Default: “${name}”, as in the address.`}
          />
          <MemberFields fields={others} state={settings} />
          <SubmitRow button={t`Save`} />
        </Form>
      </Panel>
      <Panel title={t`Logo`}>
        {shown === undefined ? null : (
          <p class="logo-shown">
            <img src={shown} alt={t`The logo as shown on pages`} />
          </p>
        )}
        <Form action="/admin/settings/logo" state={logo} bringsFile>
          <FileField
            name="logo"
            label={t`Picture`}
            accept="image/png,image/jpeg,image/webp"
            state={logo}
            hint={t`PNG, JPEG or WebP, at most 32 KB. It is shown at most 35 pixels high, on light and dark backgrounds.`}
          />
          <SubmitRow button={shown === undefined ? t`Upload` : t`Replace`} />
        </Form>
        {shown === undefined ? null : (
          <Form action="/admin/settings/remove-logo">
            <SubmitRow button={t`Remove the logo`} look={null} />
          </Form>
        )}
      </Panel>
      <DangerZone {...props} />
    </ConsoleLayout>
  );
}

function DangerZone({ reach, sessions, issuers, takesExternalTokens }: SettingsPageProps) {
  return (
    <Panel isDangerous title={t`Danger zone`}>
      <dl class="dangers">
        <div>
          <dt>{t`End every app’s access`}</dt>
          <dd>
            <p>{t`${counted(reach.people, "person", "people")} would have to allow ${counted(reach.clients, "app")} again.`}</p>
            <DangerButton href="/admin/settings/end-grants">{t`End all access…`}</DangerButton>
          </dd>
        </div>
        <div>
          <dt>{t`Sign everybody out of these pages`}</dt>
          <dd>
            <p>{t`${counted(sessions, "sign-in")} of administrators and people at /account would end, including yours.`}</p>
            <DangerButton href="/admin/settings/sign-everybody-out">{t`Sign everybody out…`}</DangerButton>
          </dd>
        </div>
        <div>
          <dt>
            {t`Tokens of identity providers`}{" "}
            <Badge tone={takesExternalTokens ? "good" : "off"}>{takesExternalTokens ? t`Accepted` : t`Refused`}</Badge>
          </dt>
          <dd>
            <p>{t`${counted(issuers, "provider")} set up.`}</p>
            {takesExternalTokens ? (
              <DangerButton href="/admin/settings/refuse-external-tokens">{t`Refuse all…`}</DangerButton>
            ) : (
              <Form action="/admin/settings/take-external-tokens">
                <SubmitRow button={t`Accept again`} look={null} />
              </Form>
            )}
          </dd>
        </div>
      </dl>
    </Panel>
  );
}
