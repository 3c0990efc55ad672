import axe from "axe-core";
import type { Page } from "playwright-core";

/** What axe-core finds, with its best practices, as a person would have to mend it. */
export async function findings(page: Page): Promise<string[]> {
  await page.waitForLoadState("load");
  // In one go: between two, a page that is still on its way may take the place of the one that axe was brought to.
  const { violations } = await page.evaluate<axe.AxeResults>(`(() => { ${axe.source}; return axe.run(document); })()`);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`));
}
