import type { Brand } from "#instance/policy-snapshot.ts";
import { HiddenFields, SubmitRow } from "#pages/views/form.tsx";
import { type Locale, textOf } from "#messages/locale.ts";
import { Layout } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";
import type { HeldForm } from "#session/step-up.ts";

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
