import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, partsOf, type RefusalText, textOf } from "#messages/locale.ts";
import { Layout } from "#pages/views/layout.tsx";
import { RefusalLead } from "#pages/views/refusal-lead.tsx";
import { SsoButtons, type SsoChoice } from "#pages/views/sso-buttons.tsx";

interface ReturnPageProps {
  readonly brand: Brand;
  readonly locale: Locale;
  /** Why the request failed. */
  readonly refusal: RefusalText;
  /** The host that the app wants the browser to return to. */
  readonly destination: string;
  /** The app's redirect URI, with the error as parameters. */
  readonly target: string;
  readonly requestId: string;
}

/** Asks the person before the browser continues to an app that nobody has verified and that this person has not allowed. */
export function ReturnPage({ brand, locale, refusal, destination, target, requestId }: ReturnPageProps) {
  const { messages } = locale;
  return (
    <Layout title={messages.refusal_title} brand={brand} locale={locale}>
      <h1>{messages.refusal_title}</h1>
      <RefusalLead {...refusal} />
      <div class="notice">
        <p>
          <strong>{messages.consent_unverified}</strong>{" "}
          {partsOf(locale, "return_notice", {
            destination: <bdi>{destination}</bdi>,
            organisation: brand.organisation,
          })}
        </p>
      </div>
      <div class="actions">
        <a class="button" href={target} rel="noreferrer noopener">
          {partsOf(locale, "return_button", { destination: <bdi>{destination}</bdi> })}
        </a>
      </div>
      <p class="quiet">
        {messages.request_id}: <code>{requestId}</code>
      </p>
    </Layout>
  );
}

/** Asks a person who signs in for an app which of the organisation's SSOs they use. */
export function ChoicePage(props: {
  readonly brand: Brand;
  readonly locale: Locale;
  /** Where the form is sent. */
  readonly action: string;
  readonly handle: string;
  readonly choices: readonly SsoChoice[];
}) {
  const { brand, locale } = props;
  return (
    <Layout title={locale.messages.sign_in} brand={brand} locale={locale}>
      <h1>{textOf(locale, "sign_in_to", { organisation: brand.organisation })}</h1>
      <p class="lead">{locale.messages.sign_in_choose}</p>
      <form method="post" action={props.action}>
        <input type="hidden" name="request" value={props.handle} />
        <SsoButtons locale={locale} choices={props.choices} />
      </form>
    </Layout>
  );
}
