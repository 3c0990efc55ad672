import { readFileSync } from "node:fs";

const COLUMNS = ["statements", "round trips", "rows read", "rows written", "calls"] as const;

/** Returns the sum that docs/storage-operations.md states for some of its requests. @throws if one is missing there */
export function statedCost(requests: readonly string[], column: (typeof COLUMNS)[number]): number {
  const lines = readFileSync("docs/storage-operations.md", "utf8").split("\n");
  return requests.reduce((all, request) => {
    const line = lines.find((one) => one.startsWith(`| ${request} |`));
    if (line === undefined) throw new Error(`docs/storage-operations.md has no row ${request}`);
    return all + Number(line.split("|")[2 + COLUMNS.indexOf(column)]);
  }, 0);
}
