import { readFileSync } from "node:fs";

const COLUMNS = ["statements", "round trips", "rows read", "rows written", "calls"] as const;

/** What the table of docs/storage-operations.md states for some of its requests together. @throws where it lacks one */
export function statedCost(requests: readonly string[], column: (typeof COLUMNS)[number]): number {
  const lines = readFileSync("docs/storage-operations.md", "utf8").split("\n");
  return requests.reduce((all, request) => {
    const line = lines.find((one) => one.startsWith(`| ${request} |`));
    if (line === undefined) throw new Error(`docs/storage-operations.md has no row ${request}`);
    return all + Number(line.split("|")[2 + COLUMNS.indexOf(column)]);
  }, 0);
}
