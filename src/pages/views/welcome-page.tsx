import type { Brand } from "#instance/policy-snapshot.ts";
import { Layout } from "./layout.tsx";

export interface WelcomePageProps {
  readonly service: string;
  readonly brand: Brand;
  /** What assistants and editors are given. */
  readonly mcpUrl: string;
  readonly oauthEnabled: boolean;
}

/** What a person who opens the instance's bare address is told: what this is, and where a client starts. */
export function WelcomePage({ service, brand, mcpUrl, oauthEnabled }: WelcomePageProps) {
  const { organisation } = brand;
  return (
    <Layout title={organisation} service={service} brand={brand}>
      <h1>Work search of {organisation}</h1>
      <p class="lead">
        {oauthEnabled
          ? "Add this URL to your assistant or editor, then sign in."
          : "Access for apps is not enabled here yet: an administrator enables it in the admin console."}
      </p>
      <p>
        <code class="address">{mcpUrl}</code>
      </p>
      <ul class="links">
        <li>
          <a href="/account">Apps that you allowed</a>
        </li>
        <li>
          <a href="/openapi.json">API description</a>
        </li>
        <li>
          <a href="/.well-known/oauth-authorization-server">Authorization server metadata</a>
        </li>
        <li>
          <a href="/.well-known/oauth-protected-resource">Resource metadata</a>
        </li>
      </ul>
    </Layout>
  );
}
