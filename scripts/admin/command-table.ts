import { HOSTS } from "#clients/hosts.ts";
import { COMMANDS } from "./commands.ts";

/** The page that lists every command, and every preset of redirect URIs. */
export const COMMANDS_PAGE = "docs/administration.md";

const COMMANDS_HEADER = "| command | what it does | example |\n|---|---|---|\n";
const PRESETS_HEADER = "| preset | app | redirect URIs |\n|---|---|---|\n";

/** The page with its tables of commands and presets as the program has them. */
export function withCommandTables(page: string): string {
  const commands = COMMANDS.map(
    ({ usage, purpose, examples }) => `| \`${usage}\` | ${cell(purpose)} | ${asCode(examples, "<br>")} |`,
  );
  const presets = HOSTS.map(({ id, name, redirectUris }) => `| \`${id}\` | ${name} | ${asCode(redirectUris, ", ")} |`);
  return withTable(withTable(page, COMMANDS_HEADER, commands), PRESETS_HEADER, presets);
}

function withTable(page: string, header: string, rows: readonly string[]): string {
  const start = page.indexOf(header);
  if (start < 0) throw new Error(`${COMMANDS_PAGE} has no table ${header}`);
  const after = /\n(?!\|)/.exec(page.slice(start + header.length))?.index;
  return (
    page.slice(0, start) +
    header +
    rows.join("\n") +
    (after === undefined ? "\n" : page.slice(start + header.length + after))
  );
}

function asCode(texts: readonly string[], between: string): string {
  return texts.map((text) => `\`${text}\``).join(between);
}

/** A purpose as a cell: placeholders would be taken for HTML. */
function cell(text: string): string {
  return text.replaceAll(/[\w:/]*<[\w:. -]+>[\w/]*/g, (placeholder) => `\`${placeholder}\``).replaceAll("|", "\\|");
}
