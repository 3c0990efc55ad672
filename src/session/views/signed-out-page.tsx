import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, textOf } from "#messages/locale.ts";
import { Layout } from "#pages/views/layout.tsx";

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
