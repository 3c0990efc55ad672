import type { Finding } from "#platform/finding.ts";
import { type ConsoleFrame, ConsoleLayout, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { LinesField, type Option, SelectField, Switch, TextField } from "#pages/views/fields.tsx";
import { Form } from "#pages/views/form.tsx";
import { Steps } from "#pages/views/steps.tsx";
import type { FormState } from "#platform/form-state.ts";

export interface SingleSignOnPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly state: FormState;
  /** Where the SSO sends people back to. */
  readonly redirectUri: string;
  /** Where people sign in now, and how many have; `null` before there is a connection. */
  readonly connected: { readonly issuer: string; readonly people: number } | null;
  /** A secret was typed into the form that comes back without it. */
  readonly isSecretTyped: boolean;
  /** What a test came to; `undefined` where there was none. */
  readonly steps: readonly Finding[] | undefined;
}

const OUTCOMES = {
  ok: { tone: "good", word: "OK" },
  failed: { tone: "warn", word: "Fix this" },
  warning: { tone: "off", word: "Unknown" },
} as const;

const AUTHENTICATION: readonly Option[] = [
  { value: "", label: "As the SSO says, Basic first" },
  { value: "client_secret_basic", label: "In the Authorization header (client_secret_basic)" },
  { value: "client_secret_post", label: "In the body (client_secret_post)" },
];

/** Where people sign in. */
export function SingleSignOnPage(props: SingleSignOnPageProps) {
  const { frame, connected, redirectUri, steps } = props;
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/single-sign-on"
      title="Single sign-on"
      done={props.done}
      lead="People sign in at your organisation’s own sign-in, by OpenID Connect. Apps and this console both use it."
    >
      {steps ? <Tested steps={steps} /> : null}
      <Panel title="At your SSO">
        <p>Register a web application there (confidential, authorization code) with this redirect URI, exactly:</p>
        <div class="field">
          <label for="redirect-uri">Redirect URI</label>
          <div class="copied">
            <input id="redirect-uri" readonly value={redirectUri} autocomplete="off" spellcheck={false} />
            <button type="button" data-copy="redirect-uri" hidden>
              Copy
            </button>
          </div>
        </div>
        <ul>
          <li>
            <strong>Okta:</strong> the issuer is https://&lt;org&gt;.okta.com with the scope groups added, or that of a
            custom authorization server; give the ID token a groups claim with a filter.
          </li>
          <li>
            <strong>Microsoft Entra ID:</strong> the issuer is https://login.microsoftonline.com/&lt;tenant id&gt;/v2.0;
            add the optional claim email and the groups claim to the ID token.
          </li>
          <li>
            <strong>Google Workspace:</strong> the issuer is https://accounts.google.com; require your domain below with
            hd=&lt;domain&gt;, or everybody at Google could sign in.
          </li>
        </ul>
      </Panel>
      <Panel
        title="Connection"
        lead={
          connected ? (
            <>
              People sign in at <code>{connected.issuer}</code>;{" "}
              {counted(connected.people, "person has", "people have")} so far.
            </>
          ) : (
            "There is none yet: nobody can sign in."
          )
        }
      >
        <ConnectionForm {...props} />
      </Panel>
    </ConsoleLayout>
  );
}

function ConnectionForm({ frame, connected, isSecretTyped, state }: SingleSignOnPageProps) {
  return (
    <Form action="/admin/single-sign-on" csrfToken={frame.csrfToken} state={state}>
      {connected && state.errors["confirmed"] !== undefined ? (
        <NewIssuer people={connected.people} state={state} />
      ) : null}
      <TextField
        name="issuer"
        label="Issuer"
        required
        state={state}
        placeholder="https://sso.example.com"
        hint="As the SSO’s discovery document spells it, with or without the last slash."
      />
      <TextField name="clientId" label="Client id" required state={state} />
      <TextField
        name="clientSecret"
        label="Client secret"
        type="password"
        state={state}
        hint={
          isSecretTyped
            ? "What you typed is not in this page: type it again before you save."
            : connected
              ? "Empty keeps the stored one, for the same client at the same issuer. It is never shown."
              : "It is stored sealed and never shown."
        }
      />
      <TextField
        name="scopes"
        label="Scopes"
        state={state}
        hint="What is asked for, words with spaces between them. Some SSOs want groups added."
      />
      <TextField name="emailClaim" label="Claim that holds the email address" state={state} hint="Usually email." />
      <Switch
        name="emailVouchedBy"
        label="Its email addresses are their holders’"
        hint="Turn on where this single sign-on sends no email_verified and people cannot change their address unverified. A role that was given to an email waits for a sign-in with a verified one."
        state={state}
      />
      <TextField name="groupsClaim" label="Claim that lists groups" state={state} hint="Usually groups." />
      <LinesField
        name="requiredClaims"
        label="Required claims"
        rows={2}
        state={state}
        placeholder="hd=acme.example"
        hint="One a line as claim=value. Nobody gets in whose ID token does not hold exactly these; needed where one issuer serves several organisations."
      />
      <SelectField name="clientAuthentication" label="How the secret is sent" options={AUTHENTICATION} state={state} />
      <div class="actions">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="submit" formaction="/admin/single-sign-on/test">
          Test without saving
        </button>
      </div>
    </Form>
  );
}

function NewIssuer({ people, state }: { readonly people: number; readonly state: FormState }) {
  return (
    <div class="notice warning">
      <p>
        <strong>Another issuer means other accounts.</strong>{" "}
        {people === 0 ? "Nobody has" : counted(people, "person has", "people have")} signed in at the old one.
      </p>
      <ul>
        <li>
          A person is an account at one issuer. At the new one everybody is somebody new, and is refused while their
          email address belongs to their old account here.
        </li>
        <li>Set people free under People, one by one: their next sign-in takes over what they had.</li>
        <li>Running access of apps goes on. You stay signed in here for now; make sure that you can sign in again.</li>
      </ul>
      <Switch name="confirmed" label="Change the issuer" state={state} />
    </div>
  );
}

function Tested({ steps }: { readonly steps: readonly Finding[] }) {
  const failed = steps.filter(({ verdict }) => verdict === "failed").length;
  return (
    <Panel title="What the test found">
      <p role="status">
        {failed === 0
          ? "Nothing speaks against this connection. Whether people’s claims are right shows when somebody signs in."
          : `${counted(failed, "thing has", "things have")} to be mended before anybody can sign in.`}{" "}
        Nothing was saved.
      </p>
      <Steps
        steps={steps.map(({ check, verdict, meaning, remedy }) => ({
          title: check,
          outcome: verdict,
          text: [meaning, remedy].join(" ").trim(),
        }))}
        outcomes={OUTCOMES}
      />
    </Panel>
  );
}
