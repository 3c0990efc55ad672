import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, textOf } from "#messages/locale.ts";
import { HiddenFields, SubmitRow } from "#pages/views/form.tsx";
import { Layout } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";
import { SsoButtons, type SsoChoice } from "#pages/views/sso-buttons.tsx";
import type { HeldForm } from "#session/step-up.ts";

/**
 * The page before a sign-in to our own pages. The sign-in starts only with a click on it, never because of a link to it.
 */
export function SignInPage(props: {
  readonly brand: Brand;
  readonly locale: Locale;
  /** The page that the person comes back to. */
  readonly returnTo: string;
  readonly formToken: string;
  /** The organisation's SSOs. */
  readonly choices: readonly SsoChoice[];
}) {
  const { brand, locale } = props;
  const { messages } = locale;
  return (
    <Layout title={messages.sign_in} brand={brand} locale={locale}>
      <h1>{textOf(locale, "sign_in_to", { organisation: brand.organisation })}</h1>
      <p class="lead">{textOf(locale, "sign_in_account", { organisation: brand.organisation })}</p>
      <PostForm action="/sign-in" csrfToken={props.formToken}>
        <input type="hidden" name="to" value={props.returnTo} />
        {props.choices.length > 1 ? (
          <SsoButtons locale={locale} choices={props.choices} />
        ) : (
          <SubmitRow button={messages.sign_in} sends={{ name: "begin", value: "yes" }} />
        )}
      </PostForm>
    </Layout>
  );
}

export function SignedOutPage(props: { readonly brand: Brand; readonly locale: Locale }) {
  const { brand, locale } = props;
  const { messages } = locale;
  return (
    <Layout title={messages.signed_out} brand={brand} locale={locale}>
      <h1>{messages.signed_out_heading}</h1>
      <p class="lead">{textOf(locale, "signed_out_detail", { organisation: brand.organisation })}</p>
      <p class="actions">
        <a class="button primary" href="/search">
          {messages.sign_in_again}
        </a>
      </p>
    </Layout>
  );
}

interface StepUpFrame {
  readonly brand: Brand;
  readonly locale: Locale;
  readonly act: string;
  /** The page that people go to if they cancel. */
  readonly back: string;
}

/**
 * Asks for a new sign-in before a decision. It has a link, because the console's forms may only be sent to the console
 * (`form-action`).
 */
export function StepUpPage(props: StepUpFrame & { readonly signInUrl: string; readonly keepsForm: boolean }) {
  const { locale, act } = props;
  const { messages } = locale;
  return (
    <Layout title={messages.step_up_title} brand={props.brand} locale={locale}>
      <h1>{messages.step_up_title}</h1>
      <p class="lead">
        {textOf(locale, "step_up_detail", { act })}{" "}
        {props.keepsForm ? messages.step_up_kept : messages.step_up_not_kept}
      </p>
      <div class="actions">
        <a class="button" href={props.back}>
          {messages.cancel}
        </a>
        <a class="button primary" href={props.signInUrl}>
          {messages.sign_in_again}
        </a>
      </div>
    </Layout>
  );
}

/** The form that was kept during the new sign-in; a click sends it. */
export function HeldFormPage(
  props: StepUpFrame & { readonly action: string; readonly csrfToken: string; readonly fields: HeldForm["fields"] },
) {
  const { locale, act } = props;
  const { messages } = locale;
  return (
    <Layout title={messages.held_title} brand={props.brand} locale={locale}>
      <h1>{textOf(locale, "held_heading", { act })}</h1>
      <p class="lead">{messages.held_detail}</p>
      <PostForm action={props.action} csrfToken={props.csrfToken}>
        <HiddenFields values={props.fields} />
        <SubmitRow button={props.act} leave={{ href: props.back, label: messages.cancel }} />
      </PostForm>
    </Layout>
  );
}
