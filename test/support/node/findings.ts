import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Runs all rules, including axe-core's best practices. Reporting what passes would take longer than running the rules, and so would
 * loading style sheets and media again. That is only for rules about turned phones, which is experimental and off, and about
 * sounds, of which there are none.
 */
const OPTIONS: axe.RunOptions = { reporter: "no-passes", resultTypes: ["violations"], preload: false };

/**
 * Adds axe-core to every page of a context, before the page's own scripts. So the browser gets half a megabyte of source only
 * once, and compiles it once for all pages of the context.
 */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript(AXE);
}

/** What is checked: all of the document, but only the first rows of a long list. The same code writes the others. */
const CONTEXT = { exclude: ["tbody > tr:nth-child(n + 9)"] };

/**
 * Returns what axe-core finds, in a form that helps to fix it.
 *
 * @param page fastest in a context with {@link bringAxe}
 */
export async function findings(page: Page): Promise<string[]> {
  await page.waitForLoadState("load");
  const run = `axe.run(${JSON.stringify(CONTEXT)}, ${JSON.stringify(OPTIONS)}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ": " + help + ": " + html)))`;
  const found = await page.evaluate<string[] | null>(`"axe" in globalThis ? ${run} : null`);
  // A document that a click has just opened may lack the context's scripts.
  return found ?? page.evaluate<string[]>(`(() => { ${AXE} })(), ${run}`);
}
