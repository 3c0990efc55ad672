import type { TokenPurpose } from "#admin-console/tokens/token-form.ts";
import { type ConsoleFrame, SecretOnce } from "#pages/views/console-layout.tsx";
import { SecretLayout } from "#pages/views/secret-layout.tsx";

export interface TokenSecretPageProps {
  readonly frame: ConsoleFrame;
  readonly issuer: string;
  readonly token: { readonly name: string };
  readonly purpose: TokenPurpose;
  readonly secret: string;
  readonly title: string;
  /** What becomes of the secret that it replaces. */
  readonly oldSecret?: string;
}

/** The one page that shows a token's secret. */
export function TokenSecretPage({ frame, issuer, token, purpose, secret, title, oldSecret }: TokenSecretPageProps) {
  return (
    <SecretLayout {...{ frame, title }} section="/admin/tokens" lead={oldSecret} name={token.name} next="/admin/tokens">
      <SecretOnce label="Token" secret={secret} />
      <h3>How to use it</h3>
      <p class="hint">
        Put the token in the variable GATEHOUSE_TOKEN, so that it doesn’t end up in your shell history.
      </p>
      <pre class="command" tabindex={0} aria-label="Command">
        {commandOf(issuer, purpose)}
      </pre>
    </SecretLayout>
  );
}

const CALLS: Readonly<
  Record<TokenPurpose, { readonly method: string; readonly path: string; readonly body?: string }>
> = {
  person: { method: "POST", path: "/rest/api/v1/search", body: '{"query": "holiday", "pageSize": 5}' },
  metadata: {
    method: "PUT",
    path: "/rest/api/index/document/DOCUMENT/custom-metadata/GROUP",
    body: '{"customMetadata": [{"name": "KEY", "value": "VALUE"}]}',
  },
  documents: {
    method: "POST",
    path: "/api/index/v1/indexdocument",
    body:
      '{"document": {"datasource": "DATASOURCE", "objectType": "Page", "id": "1", "title": "A title", ' +
      '"viewURL": "https://wiki.example.com/1", "body": {"mimeType": "text/plain", "textContent": "Words"}, ' +
      '"permissions": {"allowAnonymousAccess": true}}}',
  },
  admin: { method: "GET", path: "/rest/api/admin/v1/apps" },
  directory: { method: "GET", path: "/scim/v2/ServiceProviderConfig" },
};

function commandOf(issuer: string, purpose: TokenPurpose): string {
  const { method, path, body } = CALLS[purpose];
  return [
    `curl -X ${method} '${issuer}${path}'`,
    `  -H "Authorization: Bearer $GATEHOUSE_TOKEN"`,
    ...(body === undefined ? [] : [`  -H 'Content-Type: application/json'`, `  -d '${body}'`]),
  ].join(" \\\n");
}
