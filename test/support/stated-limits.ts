import page from "../../docs/limits.md?raw";

/** The cells of the table below a heading of docs/limits.md. */
export function statedLimits(heading: string): string[][] {
  const [, section = ""] = page.split(`## ${heading}\n`);
  const [body = ""] = section.split("\n## ");
  const lines = body.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** Whether a row of the table of endpoints stands for a route: `*` ends a row that stands for all below it. */
export function isFor(row: string, route: string): boolean {
  const [named, asked] = [row.replaceAll("`", ""), route.replace("/api/index/v1/", "/rest/api/index/")];
  return named.endsWith("*") ? asked.startsWith(named.slice(0, -1)) : named === asked;
}

/** The rows of the table of endpoints for a route: one of its own counts alone. */
export function rowsFor(route: string): string[][] {
  const rows = statedLimits("Endpoints").filter(([name = ""]) => isFor(name, route));
  const own = rows.filter(([name = ""]) => !name.includes("*"));
  return own.length > 0 ? own : rows;
}

/** How many statements a route sends to D1 at most. */
export function statementsMax(route: string): number {
  return Number(rowsFor(route)[0]?.at(-1));
}
