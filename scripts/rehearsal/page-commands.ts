import { readFile } from "node:fs/promises";
import { PlainError } from "../local/plain-error.ts";

/** The project's own folder, regardless of where the rehearsal runs. */
const ROOT = new URL("../../", import.meta.url);

/**
 * Returns the shell commands that a page has under a heading, unchanged.
 *
 * @returns one text for each block, in the page's order
 * @throws {PlainError} if there are none: then the rehearsal would prove nothing
 */
export async function commandsUnder(page: string, heading: string): Promise<string[]> {
  const text = await readFile(new URL(page, ROOT), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? "";
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = ""]) => block);
  if (blocks.length === 0) throw new PlainError(`${page} has no commands under "${heading}"`);
  return blocks;
}

/**
 * Returns the names of the settings that `wrangler.toml` leaves to the deployer.
 *
 * @throws {PlainError} for one that "First deployment" does not name
 */
export async function settingsToReplace(): Promise<string[]> {
  const lines = (await readFile(new URL("wrangler.toml", ROOT), "utf8")).split("\n");
  const settings = lines.flatMap((line, index) => {
    if (!/REPLACE(?::|,| if)/.test(line)) return [];
    const text = line.startsWith("#") ? lines.slice(index + 1).find((next) => !/^#\s*$/.test(next)) : line;
    const name = /^#? ?\[\[(\w+)\]\]|^#? ?(\w+) =/.exec(text ?? "");
    return [name?.[1] ?? name?.[2] ?? line];
  });
  const section = (await commandsUnder("docs/deployment.md", "First deployment")).join("\n");
  const unnamed = settings.find((setting) => !section.includes(setting));
  if (unnamed !== undefined) {
    throw new PlainError(`wrangler.toml leaves ${unnamed} to the deployer, and "First deployment" does not name it`);
  }
  return settings;
}
