import { matchesPattern } from "#protocol/redirect-pattern.ts";
import type { Client } from "./client.ts";

/** A program that people use to reach the service, as its maker documents it. */
export interface Host {
  /** What administrators approve it by. */
  readonly id: string;
  readonly name: string;
  /** Redirect URIs that it registers or names in its document; `*` stands for part of one path segment. */
  readonly redirectUris: readonly string[];
  /** Where it describes itself (OAuth Client ID Metadata Document). */
  readonly documents: readonly string[];
  /** What it does that others do not. */
  readonly quirk?: string;
  /** Where this is from: the maker's documentation, or a public thread, as `repository#number`. */
  readonly source: string;
  /** The month in which that was read. No host was at hand, and a host that changed since is not noticed. */
  readonly checked: string;
}

const LOOPBACK = ["http://localhost/callback", "http://127.0.0.1/callback"];

/** It listens on the first of these ports that is free. */
const CRUSH = Array.from({ length: 10 }, (_, at) => `http://localhost:${40704 + at}/callback`);

/** The hosts that are known here: for approvals by name, for the console, and for the guides. */
export const HOSTS: readonly Host[] = [
  // Before ChatGPT, whose pattern fits one of its documents.
  {
    id: "codex",
    name: "Codex",
    redirectUris: ["http://127.0.0.1/callback/*"],
    documents: ["https://chatgpt.com/oauth/codex/*/client.json", "https://chatgpt.com/oauth/codex/client.json"],
    quirk: "Has one document for each server, and leaves the resource out when it refreshes.",
    source: "openai/codex#38089, openai/codex#30460, speakeasy-api/gram",
    checked: "2026-11",
  },
  {
    id: "chatgpt",
    name: "ChatGPT",
    redirectUris: ["https://chatgpt.com/connector_platform_oauth_redirect", "https://chatgpt.com/connector/oauth/*"],
    documents: ["https://chatgpt.com/oauth/client.json", "https://chatgpt.com/oauth/*/client.json"],
    quirk: "Signs its requests where it can, and may go without (private_key_jwt or none).",
    source: "developers.openai.com/plugins/build/auth.md",
    checked: "2026-11",
  },
  {
    id: "claude",
    name: "Claude",
    redirectUris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
    documents: ["https://claude.ai/oauth/mcp-oauth-client-metadata"],
    quirk: "Registers again for each connection unless it uses a document.",
    source: "claude.com/docs/connectors/building, anthropics/claude-ai-mcp#518",
    checked: "2026-11",
  },
  {
    id: "claude-code",
    name: "Claude Code",
    redirectUris: LOOPBACK,
    documents: ["https://claude.ai/oauth/claude-code-client-metadata"],
    source: "anthropics/claude-code#41011",
    checked: "2026-11",
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
    quirk: "Registers the redirect URIs of all its platforms at once.",
    source: "erp-mafia/accounted#2225, bytebase/bytebase#20510",
    checked: "2026-11",
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
    source: "microsoft/vscode#278512, speakeasy-api/gram",
    checked: "2026-11",
  },
  {
    id: "opencode",
    name: "opencode",
    redirectUris: ["http://127.0.0.1/mcp/oauth/callback"],
    documents: ["https://opencode.ai/oauth/opencode/client.json"],
    quirk: "Its document names another path than it sends: where it is refused, let it register.",
    source: "anomalyco/opencode#47737, anomalyco/opencode#50510",
    checked: "2026-11",
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
    source: "erp-mafia/accounted#2158, koala73/worldmonitor#8307",
    checked: "2026-11",
  },
  {
    id: "antigravity",
    name: "Google Antigravity",
    redirectUris: ["https://antigravity.google/oauth-callback"],
    documents: [],
    source: "google-antigravity/antigravity-cli#480",
    checked: "2026-11",
  },
  {
    id: "zed",
    name: "Zed",
    redirectUris: ["http://127.0.0.1/callback"],
    documents: ["https://zed.dev/oauth/client-metadata.json"],
    quirk: "Never asks to stay connected: people sign in again when its access token expires.",
    source: "zed-industries/zed crates/context_server/src/oauth.rs",
    checked: "2026-11",
  },
  {
    id: "copilot-cli",
    name: "GitHub Copilot CLI",
    redirectUris: ["http://127.0.0.1/"],
    documents: ["https://github.com/copilot/cli/client-metadata.json"],
    quirk: "Its document names one port, and it listens on another.",
    source: "github/copilot-cli#4793, dozigden/boardoil#11",
    checked: "2026-11",
  },
  {
    id: "crush",
    name: "Crush",
    redirectUris: CRUSH,
    documents: [],
    quirk: "Registers without saying how it authenticates, and so gets a secret.",
    source: "charmbracelet/crush internal/oauth/mcp/handler.go",
    checked: "2026-11",
  },
  {
    id: "goose",
    name: "goose",
    redirectUris: ["http://127.0.0.1/oauth_callback", "http://[::1]/oauth_callback"],
    documents: ["https://goose-docs.ai/oauth/client-metadata.json"],
    source: "aaif-goose/goose#8550, speakeasy-api/gram",
    checked: "2026-11",
  },
  {
    id: "mistral",
    name: "Mistral",
    redirectUris: ["https://callback.mistral.ai/v1/integrations_auth/oauth2_callback"],
    documents: [],
    source: "koala73/worldmonitor#8307",
    checked: "2026-11",
  },
  {
    id: "perplexity",
    name: "Perplexity",
    redirectUris: [
      "https://www.perplexity.ai/rest/connections/oauth_callback",
      "https://enterprise.perplexity.ai/rest/connections/oauth_callback",
    ],
    documents: [],
    source: "koala73/worldmonitor#8307",
    checked: "2026-11",
  },
  {
    id: "gemini",
    name: "Gemini",
    // Without this prefix, the address could be anybody's project at Google.
    redirectUris: ["https://oauth-redirect.googleusercontent.com/r/user_bound_custom-mcp-*"],
    documents: [],
    quirk: "Gets a redirect URI of its own for each person and server.",
    source: "makeplane/plane-mcp-server#230",
    checked: "2026-11",
  },
  {
    id: "devin",
    name: "Devin",
    redirectUris: ["https://api.devin.ai/mcp/oauth/callback"],
    documents: [],
    source: "koala73/worldmonitor#8307",
    checked: "2026-11",
  },
];

/** A host by the name that administrators approve it by. */
export function hostById(id: string): Host | undefined {
  return HOSTS.find((host) => host.id === id);
}

/**
 * The host that a client really is: the one whose document it is, or to which all of its redirect URIs lead. Its own name proves
 * nothing, and neither does an address of the person's own machine, where any program may listen.
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
