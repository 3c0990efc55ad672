import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout } from "./layout.tsx";

export interface WelcomePageProps {
  readonly service: string;
  readonly brand: Brand;
  /** What assistants and editors are given. */
  readonly mcpUrl: string;
  /** What developers read, by where it is. */
  readonly documents: readonly (readonly [path: string, title: string])[];
  readonly oauthEnabled: boolean;
}

/** What a person who opens the instance's bare address is told: what this is, and where a client starts. */
export function WelcomePage({ service, brand, mcpUrl, documents, oauthEnabled }: WelcomePageProps) {
  const { organisation } = brand;
  return (
    <Layout title={organisation} service={service} brand={brand}>
      <h1>Work search of {organisation}</h1>
      <p class="lead">
        {oauthEnabled
          ? "Add this URL to your assistant or editor, then sign in."
          : "Access for apps is not turned on yet. An administrator can turn it on in the admin console."}
      </p>
      <p>
        <code class="address">{mcpUrl}</code>
      </p>
      <ul class="links">
        <li>
          <a href="/search">Search</a>
        </li>
        <li>
          <a href="/account">Your connected apps</a>
        </li>
        {documents.map(([path, title]) => (
          <li>
            <a href={path}>{title}</a>
          </li>
        ))}
      </ul>
    </Layout>
  );
}
