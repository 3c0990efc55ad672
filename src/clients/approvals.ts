import { isRedirectPattern } from "#protocol/redirect-pattern.ts";

/** The redirect URIs of hosts that people use, as their makers document them; an administrator approves them by name. */
export const HOST_PRESETS: Readonly<Record<string, readonly string[]>> = {
  chatgpt: ["https://chatgpt.com/connector_platform_oauth_redirect", "https://chatgpt.com/connector/oauth/*"],
  claude: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
  "claude-code": ["http://localhost/callback", "http://127.0.0.1/callback"],
  cursor: ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-retrieval/oauth/*/callback"],
  vscode: [
    "https://vscode.dev/redirect",
    "https://insiders.vscode.dev/redirect",
    "http://127.0.0.1/",
    "http://127.0.0.1",
  ],
};

/** Every policy snapshot carries the list, and every registration is held against all of it. */
const APPROVALS_MAX = 200;

/**
 * What is wrong with a list of approvals, each the name of a host or a redirect URI pattern. A pattern that is none would match
 * nothing, or what nobody meant, and nobody would learn of it before an app is refused.
 *
 * @returns `undefined` when nothing is
 */
export function problemOfApprovals(approvals: readonly string[]): string | undefined {
  if (approvals.length > APPROVALS_MAX) return `Approve at most ${APPROVALS_MAX} patterns`;
  const wrong = approvals.find((approval) => !Object.hasOwn(HOST_PRESETS, approval) && !isRedirectPattern(approval));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong)} is no redirect URI pattern: write scheme://host/path, with * in the path only`;
}
