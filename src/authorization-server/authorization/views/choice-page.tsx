import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, textOf } from "#messages/locale.ts";
import { Layout } from "#pages/views/layout.tsx";
import { type SsoChoice, SsoButtons } from "#pages/views/sso-buttons.tsx";

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
