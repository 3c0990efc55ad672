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

/** The most that a request may cost in the database, and the most bytes that it is answered with. */
export interface RouteCost {
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
}

const costs = new Map<string, RouteCost>();

/** What docs/limits.md states of a route, or of requests that no route answers. */
export function statedCost(route: string): RouteCost {
  const known = costs.get(route);
  if (known) return known;
  const numbers = (rowsFor(route)[0] ?? []).slice(4).map((cell) => Number(cell.replaceAll(",", "")));
  const [statements = NaN, rowsRead = NaN, rowsWritten = NaN] = numbers;
  const cost = { statements, rowsRead, rowsWritten };
  costs.set(route, cost);
  return cost;
}
