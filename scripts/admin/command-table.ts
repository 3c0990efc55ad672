import { COMMANDS } from "./commands.ts";

/** The page that lists every command. */
export const COMMANDS_PAGE = "docs/administration.md";

const HEADER = "| command | what it does | example |\n|---|---|---|\n";

/** Returns the page with its table of commands brought up to date. */
export function withCommandTable(page: string): string {
  const start = page.indexOf(HEADER);
  const end = page.indexOf("\n\n", start);
  if (start < 0 || end < 0) throw new Error(`${COMMANDS_PAGE} has no table of commands`);
  const rows = COMMANDS.map(({ usage, purpose, examples }) => {
    const shown = examples.map((line) => `\`${line}\``).join("<br>");
    return `| \`${usage}\` | ${cell(purpose)} | ${shown} |`;
  });
  return page.slice(0, start) + HEADER + rows.join("\n") + page.slice(end);
}

/** Writes a purpose as a table cell. Placeholders become code, because they would be taken for HTML. */
function cell(text: string): string {
  return text.replaceAll(/[\w:/]*<[\w:. -]+>[\w/]*/g, (placeholder) => `\`${placeholder}\``).replaceAll("|", "\\|");
}
