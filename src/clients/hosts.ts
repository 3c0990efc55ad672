import { matchesPattern } from "#protocol/redirect-pattern.ts";
import type { Client } from "./client.ts";

/** A program that people use to reach the service. docs/connect-mcp-host.md says where each entry comes from. */
export interface Host {
  /** The name by which administrators approve it. */
  readonly id: string;
  readonly name: string;
  /** Redirect URIs that it registers or names in its document. `*` stands for part of one path segment. */
  readonly redirectUris: readonly string[];
  /** The URLs of documents that describe it (OAuth Client ID Metadata Document). */
  readonly documents: readonly string[];
  /**
   * It never sends a scope, so it could never request a refresh token: `offline_access` is among what it gets without one
   * (docs/decisions/0021-refresh-by-offline-access.md).
   */
  readonly neverSendsScope?: true;
  /** What it does differently from other hosts. */
  readonly quirk?: string;
}

const LOOPBACK = ["http://localhost/callback", "http://127.0.0.1/callback"];

/** Crush listens on the first of these ports that is free. */
const CRUSH = Array.from({ length: 10 }, (_, at) => `http://localhost:${40704 + at}/callback`);

/** The known hosts: for approvals by name, for the console, and for the guides. */
export const HOSTS: readonly Host[] = [
  // Comes before ChatGPT, because a pattern of ChatGPT also matches one of its documents.
  {
    id: "codex",
    name: "Codex",
    redirectUris: ["http://127.0.0.1/callback/*"],
    documents: ["https://chatgpt.com/oauth/codex/*/client.json", "https://chatgpt.com/oauth/codex/client.json"],
    quirk: "Has one document for each server, and leaves the resource out when it refreshes.",
  },
  {
    id: "chatgpt",
    name: "ChatGPT",
    redirectUris: ["https://chatgpt.com/connector_platform_oauth_redirect", "https://chatgpt.com/connector/oauth/*"],
    documents: ["https://chatgpt.com/oauth/client.json", "https://chatgpt.com/oauth/*/client.json"],
    quirk: "Signs its requests where it can, and may go without (private_key_jwt or none).",
  },
  {
    id: "claude",
    name: "Claude",
    redirectUris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    documents: ["https://claude.ai/oauth/mcp-oauth-client-metadata"],
    quirk: "Registers again for each connection unless it uses a document.",
  },
  {
    id: "claude-code",
    name: "Claude Code",
    redirectUris: LOOPBACK,
    documents: ["https://claude.ai/oauth/claude-code-client-metadata"],
  },
  {
    id: "cursor",
    name: "Cursor",
    redirectUris: [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "cursor://anysphere.cursor-retrieval/oauth/*/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "http://localhost:8787/callback",
    ],
    documents: [],
    neverSendsScope: true,
    quirk: "Registers the redirect URIs of all its platforms at once, and never sends a scope.",
  },
  {
    id: "vscode",
    name: "Visual Studio Code",
    redirectUris: [
      "https://vscode.dev/redirect",
      "https://insiders.vscode.dev/redirect",
      "http://127.0.0.1/",
      "http://127.0.0.1",
    ],
    documents: [
      "https://vscode.dev/oauth/client-metadata.json",
      "https://insiders.vscode.dev/oauth/client-metadata.json",
    ],
  },
  {
    id: "opencode",
    name: "opencode",
    redirectUris: ["http://127.0.0.1/mcp/oauth/callback"],
    documents: ["https://opencode.ai/oauth/opencode/client.json"],
    quirk: "Its document names another path than it sends: where it is refused, let it register.",
  },
  {
    id: "grok",
    name: "Grok",
    redirectUris: [
      "https://grok.com/connectors-oauth-exchange-code/",
      "https://console.x.ai/connectors-oauth-exchange-code/",
    ],
    documents: ["https://grok.com/oauth/mcp-client.json"],
    quirk: "Its document is refused to some servers by a bot check: where it cannot be read, let it register.",
  },
  {
    id: "antigravity",
    name: "Google Antigravity",
    redirectUris: ["https://antigravity.google/oauth-callback"],
    documents: [],
  },
  {
    id: "zed",
    name: "Zed",
    redirectUris: ["http://127.0.0.1/callback"],
    documents: ["https://zed.dev/oauth/client-metadata.json"],
    quirk: "Never asks to stay connected: people sign in again when its access token expires.",
  },
  {
    id: "copilot-cli",
    name: "GitHub Copilot CLI",
    redirectUris: ["http://127.0.0.1/"],
    documents: ["https://github.com/copilot/cli/client-metadata.json"],
    quirk: "Its document names one port, and it listens on another.",
  },
  {
    id: "m365-copilot",
    name: "Microsoft 365 Copilot",
    redirectUris: ["https://teams.microsoft.com/api/platform/v1.0/oAuthRedirect"],
    documents: [],
    quirk: "Needs a client secret, and never names the resource.",
  },
  {
    id: "crush",
    name: "Crush",
    redirectUris: CRUSH,
    documents: [],
    quirk: "Registers without saying how it authenticates, and so gets a secret.",
  },
  {
    id: "goose",
    name: "goose",
    redirectUris: ["http://127.0.0.1/oauth_callback", "http://[::1]/oauth_callback"],
    documents: ["https://goose-docs.ai/oauth/client-metadata.json"],
  },
  {
    id: "mistral",
    name: "Mistral",
    redirectUris: ["https://callback.mistral.ai/v1/integrations_auth/oauth2_callback"],
    documents: [],
  },
  {
    id: "perplexity",
    name: "Perplexity",
    redirectUris: [
      "https://www.perplexity.ai/rest/connections/oauth_callback",
      "https://enterprise.perplexity.ai/rest/connections/oauth_callback",
    ],
    documents: [],
  },
  {
    id: "gemini",
    name: "Gemini",
    // Without this prefix, the address could be anybody's project at Google.
    redirectUris: ["https://oauth-redirect.googleusercontent.com/r/user_bound_custom-mcp-*"],
    documents: [],
    quirk: "Gets a redirect URI of its own for each person and server.",
  },
  {
    id: "devin",
    name: "Devin",
    redirectUris: ["https://api.devin.ai/mcp/oauth/callback"],
    documents: [],
  },
];

/** The hosts that {@link knownHostOf} can recognise: those with an address at their maker's, not only on the person's own machine. */
export const RECOGNISABLE_HOSTS = HOSTS.filter(
  ({ documents, redirectUris }) => documents.length > 0 || redirectUris.some((uri) => uri.startsWith("https:")),
);

/** Finds a host by the name by which administrators approve it. */
export function hostById(id: string): Host | undefined {
  return HOSTS.find((host) => host.id === id);
}

/**
 * Finds the host that a client really is: the one that publishes its document, or to which all of its redirect URIs lead. The
 * client's own name proves nothing, and neither does an address on the person's own machine, where any program may listen.
 */
export function knownHostOf({
  id,
  kind,
  redirectUris,
}: Pick<Client, "id" | "kind" | "redirectUris">): Host | undefined {
  const fits = (uri: string, patterns: readonly string[]) => patterns.some((pattern) => matchesPattern(uri, pattern));
  if (kind === "document") return HOSTS.find(({ documents }) => fits(id, documents));
  const isProof = redirectUris.some((uri) => uri.startsWith("https:"));
  return HOSTS.find((host) => isProof && redirectUris.every((uri) => fits(uri, host.redirectUris)));
}

/**
 * Returns the known host behind a client whose response goes to this redirect URI. On the person's own machine, any program may
 * receive it, so a client that registered itself counts as a known host only at https addresses.
 */
export function knownHostAt(
  client: Pick<Client, "id" | "kind" | "redirectUris">,
  redirectUri: string,
): Host | undefined {
  return client.kind === "document" || redirectUri.startsWith("https:") ? knownHostOf(client) : undefined;
}
