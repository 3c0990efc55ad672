import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, textOf } from "#messages/locale.ts";
import { SubmitRow } from "#pages/views/form.tsx";
import { Layout } from "#pages/views/layout.tsx";
import { PostForm } from "#pages/views/post-form.tsx";
import { type SsoChoice, SsoButtons } from "#pages/views/sso-buttons.tsx";

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
