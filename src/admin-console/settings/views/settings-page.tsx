import type { Language } from "#documents/languages.ts";
import { ActLink, Badge, ConsoleLayout, type ConsoleFrame, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { Choices, FileField, Switch, TextField } from "#pages/views/fields.tsx";
import { Form, SubmitRow } from "#pages/views/form.tsx";
import type { FormState } from "#platform/form-state.ts";
import type { Reach } from "#grants/grant-directory.ts";

export interface SettingsPageProps {
  readonly frame: ConsoleFrame;
  /** The instance's name, as in its address. */
  readonly name: string;
  readonly settings: FormState;
  readonly logo: FormState;
  readonly reach: Reach;
  readonly sessions: number;
  /** The number of enabled identity providers. */
  readonly issuers: number;
  readonly takesExternalTokens: boolean;
}

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  nl: "Dutch",
  en: "English",
  fr: "French",
  de: "German",
  it: "Italian",
  pt: "Portuguese",
  es: "Spanish",
};

/** The organisation's name, contact and logo, settings of search and the audit log, and actions that end all access. */
export function SettingsPage(props: SettingsPageProps) {
  const { frame, name, settings, logo } = props;
  return (
    <ConsoleLayout frame={frame} section="/admin/settings" title="Settings">
      <Panel
        title="Organisation"
        lead="People see the name and the contact when they sign in, allow an app, or get an error."
      >
        <Form action="/admin/settings" frame={frame} state={settings}>
          <TextField
            name="displayName"
            label="Name"
            maxlength={80}
            placeholder={name}
            state={settings}
            hint={`Default: “${name}”, as in the address.`}
          />
          <TextField
            name="supportContact"
            label="Support contact"
            maxlength={200}
            state={settings}
            hint="An email address or an https address. Error pages show it with the request id."
          />
          <TextField
            name="auditKeptSeconds"
            label="Keep audit entries, days"
            type="number"
            required
            state={settings}
            hint="30 to 3,650. Older entries are removed permanently: export them first if you need them."
          />
          <Choices
            name="searchLanguages"
            label="Languages of documents"
            type="checkbox"
            options={Object.entries(LANGUAGE_NAMES).map(([value, label]) => ({ value, label }))}
            state={settings}
            hint="In these languages, search also finds other forms of a word: “rotates” for “rotation”. Exact words are found in every language."
          />
          <Switch
            name="searchPrefersRecent"
            label="Prefer recently updated documents"
            state={settings}
            hint="Only among documents that match about equally well."
          />
          <SubmitRow button="Save" />
        </Form>
      </Panel>
      <Panel title="Logo">
        {frame.logo === undefined ? null : (
          <p class="logo-shown">
            <img src={frame.logo} alt="The logo as shown on pages" />
          </p>
        )}
        <Form action="/admin/settings/logo" frame={frame} state={logo} bringsFile>
          <FileField
            name="logo"
            label="Picture"
            accept="image/png,image/jpeg,image/webp"
            state={logo}
            hint="PNG, JPEG or WebP, at most 32 KB. It is shown at most 35 pixels high, on light and dark backgrounds."
          />
          <SubmitRow button={frame.logo === undefined ? "Upload" : "Replace"} />
        </Form>
        {frame.logo === undefined ? null : (
          <Form action="/admin/settings/remove-logo" frame={frame}>
            <SubmitRow button="Remove the logo" look={null} />
          </Form>
        )}
      </Panel>
      <DangerZone {...props} />
    </ConsoleLayout>
  );
}

function DangerZone({ frame, reach, sessions, issuers, takesExternalTokens }: SettingsPageProps) {
  return (
    <Panel isDangerous title="Danger zone">
      <dl class="dangers">
        <div>
          <dt>End every app’s access</dt>
          <dd>
            <p>
              {counted(reach.people, "person", "people")} would have to allow {counted(reach.clients, "app")} again.
            </p>
            <ActLink frame={frame} class="button danger" href="/admin/settings/end-grants">
              End all access…
            </ActLink>
          </dd>
        </div>
        <div>
          <dt>Sign everybody out of these pages</dt>
          <dd>
            <p>{counted(sessions, "sign-in")} of administrators and people at /account would end, including yours.</p>
            <ActLink frame={frame} class="button danger" href="/admin/settings/sign-everybody-out">
              Sign everybody out…
            </ActLink>
          </dd>
        </div>
        <div>
          <dt>
            Tokens of identity providers{" "}
            <Badge tone={takesExternalTokens ? "good" : "off"}>{takesExternalTokens ? "Accepted" : "Refused"}</Badge>
          </dt>
          <dd>
            <p>{counted(issuers, "provider")} set up.</p>
            {takesExternalTokens ? (
              <ActLink frame={frame} class="button danger" href="/admin/settings/refuse-external-tokens">
                Refuse all…
              </ActLink>
            ) : (
              <Form action="/admin/settings/take-external-tokens" frame={frame}>
                <SubmitRow button="Accept again" look={null} />
              </Form>
            )}
          </dd>
        </div>
      </dl>
    </Panel>
  );
}
