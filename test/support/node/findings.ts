import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { BrowserContext, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Which rules are run: all with axe-core's best practices, or those alone that depend on the colours or on the width. */
export type Rules = "all" | "of colours and widths";

/**
 * Details of what passes would take longer to write down than the rules take to run, and so would fetching style sheets and media once
 * more, for rules about turned phones and about sounds: one is an experiment and off, the other has nothing to look at.
 */
const OPTIONS: Readonly<Record<Rules, axe.RunOptions>> = {
  all: { reporter: "no-passes", resultTypes: ["violations"], preload: false },
  "of colours and widths": {
    reporter: "no-passes",
    preload: false,
    runOnly: ["color-contrast", "link-in-text-block", "scrollable-region-focusable"],
  },
};

/**
 * Brings axe-core to every page of a context, before the page's own scripts. So the browser gets half a megabyte of source once, and
 * compiles it once for all pages of the context.
 */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript(AXE);
}

/** What is looked at: all of the document, but of a long list the first rows. Those that follow are written by the same code. */
const CONTEXT = { exclude: ["tbody > tr:nth-child(n + 9)"] };

/**
 * What axe-core finds, as a person would have to fix it.
 *
 * @param page fastest in a context with {@link bringAxe}
 */
export async function findings(page: Page, rules: Rules = "all"): Promise<string[]> {
  await page.waitForLoadState("load");
  const run = `axe.run(${JSON.stringify(CONTEXT)}, ${JSON.stringify(OPTIONS[rules])}).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => id + ": " + help + ": " + html)))`;
  const found = await page.evaluate<string[] | null>(`"axe" in globalThis ? ${run} : null`);
  // A document that a click has just opened can be without the context's scripts.
  return found ?? page.evaluate<string[]>(`(() => { ${AXE} })(), ${run}`);
}
