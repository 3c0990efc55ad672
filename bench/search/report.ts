import { existsSync, readFileSync, writeFileSync } from "node:fs";

const DOCUMENT = "docs/performance.md";
const BEGIN = "<!-- bench:search begins -->";
const END = "<!-- bench:search ends -->";

/** One line of the table. */
export interface Line {
  readonly kind: string;
  readonly person: string;
  readonly mode: string;
  readonly floors: number;
  readonly rowsRead: number;
  readonly naiveFloors: number | null;
  /** Of the first ten of the reference, those in ours; `null` where it was not run. */
  readonly agreeing: readonly [number, number] | null;
  readonly isSameOrder: boolean;
}

export interface Run {
  readonly documents: number;
  readonly megabytes: number;
  readonly buildSeconds: number;
  readonly floorMilliseconds: number;
  readonly lines: readonly Line[];
}

const HEAD = ["query", "person", "mode", "floors", "rows read", "naive, floors", "first ten as exact bm25"];

/** The table of a run, as Markdown. */
export function toTable({ documents, megabytes, floorMilliseconds, lines }: Run): string {
  const rows = lines.map((line) => [
    line.kind,
    line.person,
    line.mode,
    line.floors.toFixed(1),
    String(line.rowsRead),
    line.naiveFloors === null ? "–" : line.naiveFloors.toFixed(1),
    line.agreeing === null ? "–" : `${line.agreeing.join(" of ")}${line.isSameOrder ? ", same order" : ""}`,
  ]);
  const table = [HEAD, HEAD.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  const worst = Math.max(...lines.map((line) => line.floors));
  const facts = `a floor is ${floorMilliseconds.toFixed(2)} ms, the database ${megabytes} MB, the worst page ${worst.toFixed(1)} floors`;
  return `### ${documents.toLocaleString("en")} documents\n\n${facts[0]?.toUpperCase()}${facts.slice(1)}.\n\n${table}`;
}

/** Puts the tables into the document, between their marks; what stands around them stays. */
export function writeReport(runs: readonly Run[]): void {
  const text = existsSync(DOCUMENT)
    ? readFileSync(DOCUMENT, "utf8")
    : `# Performance\n\n## Search\n\n${BEGIN}\n${END}\n`;
  const [before, rest = ""] = text.split(BEGIN);
  const [, after = ""] = rest.split(END);
  const tables = runs.map(toTable).join("\n\n");
  writeFileSync(DOCUMENT, `${before}${BEGIN}\n\n${tables}\n\n${END}${after}`);
}
