import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Details of what passes would take longer to write down than the rules take to run. */
const RUN = 'axe.run(document, { resultTypes: ["violations"] })';

/** For a page that was looked at before: half a megabyte of source need not go to it again. */
const IF_BROUGHT = `window.axe ? ${RUN} : null`;

/** In one go: between two, a page that is still on its way may take the place of the one that axe was brought to. */
const BROUGHT = `(() => { ${AXE}; return ${RUN}; })()`;

/** What axe-core finds, with its best practices, as a person would have to fix it. */
export async function findings(page: Page): Promise<string[]> {
  await page.waitForLoadState("load");
  const { violations } =
    (await page.evaluate<axe.AxeResults | null>(IF_BROUGHT)) ?? (await page.evaluate<axe.AxeResults>(BROUGHT));
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}
