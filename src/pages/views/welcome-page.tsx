import type { Brand } from "#instance/policy-snapshot.ts";
import { type Locale, textOf } from "#messages/locale.ts";
import { Layout } from "./layout.tsx";

export interface WelcomePageProps {
  readonly brand: Brand;
  readonly locale: Locale;
  /** The URL that people add to assistants and editors. */
  readonly mcpUrl: string;
  /** Links to documents for developers. */
  readonly documents: readonly (readonly [path: string, title: string])[];
  readonly oauthEnabled: boolean;
}

/** The page at the instance's bare address: what this service is, and where apps and people start. */
export function WelcomePage({ brand, locale, mcpUrl, documents, oauthEnabled }: WelcomePageProps) {
  const { organisation } = brand;
  const { messages } = locale;
  return (
    <Layout title={organisation} brand={brand} locale={locale} script="/assets/console.js">
      <h1>{textOf(locale, "welcome_heading", { organisation })}</h1>
      <p class="lead">{oauthEnabled ? messages.welcome_enabled : messages.welcome_disabled}</p>
      <p>
        <code class="address">{mcpUrl}</code>
      </p>
      <p class="actions">
        <a class="button primary" href="/search">
          {messages.search}
        </a>
      </p>
      <ul class="links">
        <li>
          <a href="/account">{messages.welcome_apps}</a>
        </li>
        <li>
          <a href="/admin">{messages.account_admin}</a>
        </li>
      </ul>
      <details>
        <summary>{messages.welcome_developers}</summary>
        <ul class="links">
          {documents.map(([path, title]) => (
            <li>
              <a href={path}>{title}</a>
            </li>
          ))}
        </ul>
      </details>
    </Layout>
  );
}
