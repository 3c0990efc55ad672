import { people } from "./people.ts";
import { hasRules } from "./push-folder.ts";
import { WORKER_LOG } from "./worker-process.ts";

/** Tells a person who has just started Gatehouse what to open, what to paste and who to sign in as. */
export function readyText(run: { baseUrl: string; ssoIssuer: string; folders: readonly string[] }): string {
  const { baseUrl, ssoIssuer, folders } = run;
  // wrangler signs its certificate itself, so curl and Node don't trust it.
  const isHttps = baseUrl.startsWith("https:");
  const curl = isHttps ? "curl -k" : "curl";
  const demo = `npm run demo -- ${baseUrl}`;
  const server = `${baseUrl}/mcp`;
  const hosts = table([
    ["Claude Code", `claude mcp add --transport http acme ${server}`],
    ["Codex", `codex mcp add acme --url ${server}`],
    ["Cursor", `in ~/.cursor/mcp.json: {"mcpServers":{"acme":{"url":"${server}"}}}`],
    ["VS Code", `code --add-mcp '{"name":"acme","type":"http","url":"${server}"}'`],
    ["opencode", `in opencode.json: {"mcp":{"acme":{"type":"remote","url":"${server}"}}}`],
  ]);
  const click = table([
    [baseUrl, "the start page"],
    [`${baseUrl}/search`, "the search page: sign in as anybody"],
    [`${baseUrl}/admin`, "the admin console: sign in as Ada Marlow"],
    [`${baseUrl}/account`, "a person's connected apps: sign in as anybody"],
    [`${ssoIssuer}/.well-known/openid-configuration`, "the organisation's SSO, running on this computer"],
  ]);
  const paste = [
    `${curl} ${baseUrl}/.well-known/oauth-authorization-server`,
    `${curl} ${baseUrl}/.well-known/oauth-protected-resource/mcp`,
    isHttps ? `NODE_TLS_REJECT_UNAUTHORIZED=0 ${demo}` : demo,
  ];
  const who = table(
    people.map(({ name, email, job, groups }) => [name, email, `${job} (${groups.join(", ") || "no group"})`]),
  );
  const searched = table(
    folders.map((folder) => [folder, hasRules(folder) ? "as its GATEHOUSE_ACCESS says" : "everybody who signs in"]),
  );
  return `
Gatehouse is ready: ${baseUrl}

Give your assistant or editor this URL: ${server}

${section("Hosts", hosts)}

${section("Click", click)}

${section("Paste", paste)}

${section("People", who)}

${section("Search", searched)}

  The Worker's log is ${WORKER_LOG}.

Press Ctrl-C to stop.`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.map((line, index) => `  ${(index === 0 ? title : "").padEnd(8)}${line}`).join("\n");
}

/** Pads every column but the last to its widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(width(column) + 3))).join(""),
  );
}
