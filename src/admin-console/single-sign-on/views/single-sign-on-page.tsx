import type { ConnectionStep } from "#connection-attempts/connection-step.ts";
import type { Fields, FormState } from "#platform/described-members.ts";
import type { Finding } from "#platform/finding.ts";
import { Address } from "#pages/views/address.tsx";
import { ActLink, Badge, ConsoleLayout, Moment, Panel } from "#pages/views/console-layout.tsx";
import { counted } from "#messages/catalogue.ts";
import { LinesField, type Option, SelectField, sentence, Switch, TextField } from "#pages/views/fields.tsx";
import { Form, MemberFields } from "#pages/views/form.tsx";
import { ProviderChoice, type ProviderTile, toSetUp } from "#pages/views/provider-choice.tsx";
import { Steps } from "#pages/views/steps.tsx";
import { known, t } from "#pages/views/console-frame.ts";

export interface SingleSignOnPageProps {
  readonly state: FormState;
  /** The URL to which the SSO sends people back. */
  readonly redirectUri: string;
  /** Where people currently sign in, and how many have; `undefined` if there is no connection yet. */
  readonly connected: { readonly issuer: string; readonly people: number } | undefined;
  /**
   * Whether it is the only one, or has to be told apart from others. The first is connected before anybody can sign in, and saving
   * tests it.
   */
  readonly place: "first" | "the only one" | "one of several" | "another";
  /** The page that removes it; `undefined` for the only one. */
  readonly removal: string | undefined;
  /** Whether a secret was typed into the form, which is shown again without it. */
  readonly isSecretTyped: boolean;
  /** The latest sign-ins that were refused, newest first. */
  readonly refused: readonly ConnectionStep[];
  /** The result of a test; `undefined` if there was none. */
  readonly steps: readonly Finding[] | undefined;
  /** The chosen provider, if it has a form with fewer fields. */
  readonly provider: (ProviderTile & { readonly toSignIn: string; readonly inputs: Fields }) | undefined;
}

const outcomes = () =>
  ({
    ok: { tone: "good", word: t`OK` },
    failed: { tone: "warn", word: t`Fix this` },
    warning: { tone: "off", word: t`Unknown` },
  }) as const;

const waysOfAuthentication = (): readonly Option[] => [
  { value: "", label: t`As the SSO says, Basic first` },
  { value: "client_secret_basic", label: t`In the Authorization header (client_secret_basic)` },
  { value: "client_secret_post", label: t`In the body (client_secret_post)` },
];

const titleOf = (place: SingleSignOnPageProps["place"]) => {
  if (place === "first") return t`Connect your single sign-on`;
  return place === "another" ? t`Add another single sign-on` : t`Single sign-on`;
};

const leadOf = (place: SingleSignOnPageProps["place"]) =>
  place === "first"
    ? t`People sign in with your organisation’s single sign-on (OpenID Connect), for apps and for this console. Once it works, you sign in there to set up everything else.`
    : t`People sign in with your organisation’s single sign-on (OpenID Connect), for apps and for this console.`;

const ACTIONS = {
  first: "/setup",
  "the only one": "/admin/single-sign-on",
  "one of several": "/admin/single-sign-on",
  another: "/admin/single-sign-on/add",
} as const;

/** The choice of a provider, before its form. */
export function ChooseSsoPage(
  props: Pick<SingleSignOnPageProps, "place"> & { readonly providers: readonly ProviderTile[] },
) {
  return (
    <ConsoleLayout title={titleOf(props.place)} lead={leadOf(props.place)}>
      <ProviderChoice page={ACTIONS[props.place]} providers={props.providers} />
    </ConsoleLayout>
  );
}

/** The connection to the organisation's SSO. */
export function SingleSignOnPage(props: SingleSignOnPageProps) {
  const { connected, place, provider, redirectUri, removal, steps } = props;
  const isFirst = place === "first";
  return (
    <ConsoleLayout title={titleOf(place)} lead={leadOf(place)}>
      {steps ? <Tested steps={steps} /> : null}
      <Panel title={provider ? t`At ${provider.title}` : t`At your SSO`}>
        <p>
          {provider
            ? toSetUp(provider.toSignIn)
            : t`Register a web application there (confidential, authorization code) with this redirect URI, exactly:`}
        </p>
        <Address id="redirect-uri" label={t`Redirect URI`} value={redirectUri} />
        {isFirst ? null : (
          <p>{t`To end access here when people sign out there, enter the addresses of ${<a href="/admin/signals">{t`Sign-out signals`}</a>} at your SSO, too.`}</p>
        )}
      </Panel>
      <Panel
        title={t`Connection`}
        lead={
          connected
            ? t`People sign in at ${<code class="word">{connected.issuer}</code>}; ${counted(connected.people, "person has", "people have")} so far.`
            : place === "another"
              ? t`For people who sign in elsewhere, such as those of another company.`
              : t`Not connected: nobody can sign in.`
        }
      >
        <ConnectionForm {...props} />
      </Panel>
      {place === "the only one" && connected ? <AnotherLink /> : null}
      {removal === undefined ? null : (
        <div class="actions">
          <ActLink class="button danger" href={removal}>{t`Remove this single sign-on`}</ActLink>
        </div>
      )}
      <RefusedSignIns refused={props.refused} />
    </ConsoleLayout>
  );
}

/** Leads to the form for another SSO. */
export function AnotherLink() {
  return (
    <div class="actions">
      <ActLink class="button" href="/admin/single-sign-on/add">{t`Add another single sign-on`}</ActLink>
    </div>
  );
}

/** Why people could not sign in: what the SSO answered, or the claim that did not fit. */
export function RefusedSignIns({ refused }: Pick<SingleSignOnPageProps, "refused">) {
  if (refused.length === 0) return null;
  return (
    <Panel title={t`Refused sign-ins`} lead={t`The latest of the last seven days.`}>
      <ul class="findings">
        {refused.map(({ at, message, requestId }) => (
          <li>
            <Badge tone="bad">{t`Refused`}</Badge>
            <div>
              <Moment at={at} />
              <p class="remedy">{sentence(known(message ?? ""))}</p>
              <a href={`/admin/connections?find=${requestId}`}>{t`What to do`}</a>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function ConnectionForm({ connected, isSecretTyped, place, provider, state }: SingleSignOnPageProps) {
  const isFirst = place === "first";
  const isOnly = isFirst || place === "the only one";
  return (
    <Form action={ACTIONS[place]} state={state}>
      {isOnly ? null : <input type="hidden" name="several" value="on" />}
      {place === "another" ? <input type="hidden" name="adding" value="on" /> : null}
      {connected && state.errors["confirmed"] !== undefined ? (
        <NewIssuer people={connected.people} state={state} />
      ) : null}
      {provider ? <input type="hidden" name="preset" value={provider.name} /> : null}
      {provider ? (
        <MemberFields fields={provider.inputs} state={state} />
      ) : (
        <TextField
          name="issuer"
          label={t`Issuer`}
          required
          state={state}
          placeholder="https://sso.example.com"
          hint={t`Exactly as in the SSO’s discovery document, including any trailing slash.`}
        />
      )}
      <TextField name="clientId" label={t`Client id`} required state={state} />
      <TextField
        name="clientSecret"
        label={t`Client secret`}
        type="password"
        state={state}
        hint={
          isSecretTyped
            ? t`For security, enter it again before you save.`
            : connected
              ? t`Leave empty to keep the stored secret for the same client and issuer. It is never shown.`
              : t`It is stored encrypted and never shown.`
        }
      />
      {isOnly ? null : (
        <TextField
          name="label"
          label={t`Name on the sign-in page`}
          state={state}
          hint={t`People choose between the names. If it is empty, they see the host of the issuer.`}
        />
      )}
      {provider ? null : <OtherFields {...{ isOnly, state }} />}
      <Switch
        name="emailVouchedBy"
        label={t`Trust its email addresses`}
        hint={t`Turn this on if the single sign-on sends no email_verified and people can’t set an unverified address. Roles given to an email take effect only with a verified email.`}
        state={state}
      />
      {isOnly && provider ? null : (
        <LinesField
          name="emailDomains"
          label={t`Email domains`}
          rows={2}
          state={state}
          placeholder="acme.example"
          hint={
            isOnly
              ? t`One per line. Only people with these addresses can sign in; leave empty for all. Needed before you add another single sign-on.`
              : t`One per line, exactly as in people’s addresses. Only people with these addresses can sign in here; no other single sign-on may have them.`
          }
        />
      )}
      {provider ? <p class="hint">{t`You can change everything else later.`}</p> : null}
      <div class="actions">
        {provider ? <a class="button" href={ACTIONS[place]}>{t`Back`}</a> : null}
        <button type="submit" class="primary">
          {isFirst ? t`Test and connect` : t`Save`}
        </button>
        {isFirst ? null : (
          <button type="submit" formaction="/admin/single-sign-on/test">{t`Test without saving`}</button>
        )}
      </div>
    </Form>
  );
}

/** What a provider with a form of its own decides. */
function OtherFields({ isOnly, state }: { readonly isOnly: boolean; readonly state: FormState }) {
  return (
    <>
      <TextField
        name="scopes"
        label={t`Scopes`}
        state={state}
        hint={t`Separated by spaces. Some SSOs need groups here.`}
      />
      <SelectField
        name="clientAuthentication"
        label={t`How the secret is sent`}
        options={waysOfAuthentication()}
        state={state}
      />
      <TextField name="emailClaim" label={t`Claim with the email address`} state={state} hint={t`Usually email.`} />
      <TextField name="groupsClaim" label={t`Claim with the groups`} state={state} hint={t`Usually groups.`} />
      {isOnly ? null : (
        <Switch
          name="groupsMeetDirectory"
          label={t`Its groups are the directory’s groups`}
          hint={t`If it is off, groups have the issuer in their names, such as https://sso.example|finance: a group never opens what documents allow to a group of the same name elsewhere.`}
          state={state}
        />
      )}
      <LinesField
        name="requiredClaims"
        label={t`Required claims`}
        rows={2}
        state={state}
        placeholder="hd=acme.example"
        hint={t`One claim=value per line. People whose ID token doesn’t have exactly these are refused. Needed if one issuer serves several organisations.`}
      />
    </>
  );
}

function NewIssuer({ people, state }: { readonly people: number; readonly state: FormState }) {
  return (
    <div class="notice warning">
      <p>{t`${<strong>{t`A new issuer means new accounts.`}</strong>} ${counted(people, "person has", "people have")} signed in at the old issuer.`}</p>
      <ul>
        <li>{t`People are identified by their account at an issuer. At the new issuer everybody has a new account, and is refused while their email address belongs to the old one.`}</li>
        <li>{t`Release their email addresses under People, one by one. At their next sign-in they are new people.`}</li>
        <li>{t`Apps keep their access. You stay signed in for now; make sure that you can sign in again.`}</li>
      </ul>
      <Switch name="confirmed" label={t`Change the issuer`} state={state} />
    </div>
  );
}

function Tested({ steps }: { readonly steps: readonly Finding[] }) {
  const failed = steps.filter(({ verdict }) => verdict === "failed").length;
  return (
    <Panel title={t`Test result`}>
      <p role="status">{t`${
        failed === 0
          ? t`The connection works. People’s claims are checked when somebody signs in.`
          : t`Fix ${counted(failed, "problem", "problems")} before people can sign in.`
      } Nothing was saved.`}</p>
      <Steps
        steps={steps.map(({ check, verdict, meaning, remedy }) => ({
          title: check,
          outcome: verdict,
          text: [meaning, remedy]
            .map((part) => (part === undefined ? "" : known(part)))
            .join(" ")
            .trim(),
        }))}
        outcomes={outcomes()}
      />
    </Panel>
  );
}
