import limitsPage from "../../docs/limits.md?raw";
import tablesPage from "../../schema/tables.md?raw";
import routesPage from "./route-limits.md?raw";

/** The pages that state limits. */
export const STATED_LIMITS = [limitsPage, tablesPage, routesPage].join("\n");

const tablesRead = new Map<string, string[][]>();

/** Returns the cells of the table below a heading. */
function statedLimits(heading: string): string[][] {
  const table = tablesRead.get(heading) ?? readTable(heading);
  tablesRead.set(heading, table);
  return table;
}

function readTable(heading: string): string[][] {
  const [, section = ""] = STATED_LIMITS.split(`## ${heading}\n`);
  const [body = ""] = section.split("\n## ");
  const lines = body.split("\n").filter((line) => line.startsWith("| "));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** Returns the rows of a table, one for each route or table that its first cell names. */
export function rowsByRoute(heading: string): string[][] {
  return statedLimits(heading).flatMap(([names = "", ...cells]) => names.split(", ").map((name) => [name, ...cells]));
}

/** Whether a row applies to a route. A row that ends in `*` applies to everything that begins like it. */
export function isFor(row: string, route: string): boolean {
  const [named, asked] = [row.replaceAll("`", ""), route.replace("/api/index/v1/", "/rest/api/index/")];
  return named.endsWith("*") ? asked.startsWith(named.slice(0, -1)) : named === asked;
}

/** Returns the most specific row for a route in the table below a heading. @throws if there is none */
function rowFor(heading: string, route: string): string[] {
  const rows = rowsByRoute(heading).filter(([name = ""]) => isFor(name, route));
  const [own] = rows.toSorted(([one = ""], [other = ""]) => other.length - one.length);
  if (!own) throw new Error(`No page has a row for ${route} under ${heading}`);
  return own;
}

/** A limit of rows: a constant, plus a multiple of the rows of some tables that can grow long. */
export interface RowBound {
  readonly constant: number;
  readonly tables: Readonly<Record<string, number>>;
}

/** The most that a request may cost in the database. */
export interface RouteCost {
  readonly statements: number;
  readonly rowsRead: RowBound;
  readonly rowsWritten: RowBound;
}

const costs = new Map<string, RouteCost>();

/** What a refused request may write about earlier ones, in addition to its route's limits. */
export const EARLIER_REFUSALS = { statements: 20, rowsRead: 20 * 150, rowsWritten: 20 * 3 };

/** Returns what route-limits.md states for a route. @throws for a cell that is no limit */
export function statedCost(route: string): RouteCost {
  const known = costs.get(route);
  if (known) return known;
  const [, statements = "", read = "", written = ""] = rowFor("Costs", route);
  const cost = { statements: Number(statements), rowsRead: readBound(read), rowsWritten: readBound(written) };
  costs.set(route, cost);
  return cost;
}

/** Returns the limit that route-limits.md states for the bytes of a route's response. @throws if it states none */
export function statedAnswer(route: string): RowBound {
  return readBound(rowFor("Responses", route)[1] ?? "");
}

/** Parses a limit such as `200` or `200 + grants + 2 people`. */
function readBound(cell: string): RowBound {
  const [constant = "", ...terms] = cell.replaceAll(",", "").split(" + ");
  const tables = terms.map((term): [string, number] => {
    const [, times = "1", table = ""] = /^(?:(\d+) )?([a-z_]+)$/.exec(term) ?? [];
    if (table === "") throw new Error(`${cell} is no bound of rows`);
    return [table, Number(times)];
  });
  if (!/^\d+$/.test(constant)) throw new Error(`${cell} is no bound of rows`);
  return { constant: Number(constant), tables: Object.fromEntries(tables) };
}

/** Returns the value of a limit if the tables have this many rows. */
export function boundOf({ constant, tables }: RowBound, rows: ReadonlyMap<string, number>): number {
  return Object.entries(tables).reduce((sum, [table, times]) => sum + times * (rows.get(table) ?? NaN), constant);
}
