import type { Cell, MeasuredSearches } from "./measurement.ts";
import { KINDS } from "./questions.ts";
import { mean, table } from "./report.ts";

/** The number of results that a page shows. */
const TEN = 10;

/**
 * Compares two engines after the same searches, as Markdown: the most expensive person of each kind of search, and then
 * everybody.
 */
export function sideBySide(documents: number, object: MeasuredSearches, postgres: MeasuredSearches): string {
  const lines = [
    [
      "search",
      "object: CPU, ms",
      "floors",
      "gain",
      "PostgreSQL: CPU, ms",
      "floors",
      "gain",
      "same results in the first ten",
    ],
    ["---", ...Array.from({ length: 7 }, () => "---:")],
    ...KINDS.map((kind) => {
      const [ours, theirs] = [object, postgres].map(({ cells }) => cells.filter((cell) => cell.kind === kind));
      return [
        kind.name,
        ...worstOf(ours ?? [], object.floor),
        ...worstOf(theirs ?? [], postgres.floor),
        sharesOf(ours ?? [], theirs ?? []),
      ];
    }),
  ];
  const other = new Map(object.cells.map((cell, at) => [cell, postgres.cells[at] ?? cell]));
  return [
    `### ${documents.toLocaleString("en")} documents`,
    `A floor is ${object.floor.toFixed(2)} ms with the object and ${postgres.floor.toFixed(2)} ms with PostgreSQL, in the middle. For each kind, the person for whom it costs most:`,
    lines.map((line) => `| ${line.join(" | ")} |`).join("\n"),
    table("object, PostgreSQL: CPU, ms (floors); the same", object.cells, object.visible, (cell) => {
      const postgresCell = other.get(cell) ?? cell;
      return `${costOf(cell, object.floor)}, ${costOf(postgresCell, postgres.floor)}; ${sharesOf([cell], [postgresCell])}`;
    }),
  ].join("\n\n");
}

/**
 * @param floor the run's median: single floors differ by more than the engines do if the machine has much other work
 */
function costOf({ cpu }: Cell, floor: number): string {
  return `${cpu.toFixed(1)} (${(cpu / floor).toFixed(0)})`;
}

/** Returns the highest CPU time, also in floors, and the lowest gain. Beginnings of words are not judged. */
function worstOf(cells: readonly Cell[], floor: number): readonly string[] {
  const cpu = Math.max(...cells.map((cell) => cell.cpu));
  const gains = cells
    .filter(({ judgements }) => judgements.length > 0)
    .map(({ judgements }) => Number(mean(judgements, ({ gain }) => gain)));
  return [cpu.toFixed(1), (cpu / floor).toFixed(0), gains.length === 0 ? "" : Math.min(...gains).toFixed(2)];
}

/** Returns how many of the first ten results the two engines have in common. */
function sharesOf(cells: readonly Cell[], others: readonly Cell[]): string {
  let same = 0;
  let all = 0;
  for (const [at, { answers }] of cells.entries()) {
    for (const [number, { found }] of answers.entries()) {
      const theirs = new Set(others[at]?.answers[number]?.found.slice(0, TEN));
      const ours = found.slice(0, TEN);
      same += ours.filter((document) => theirs.has(document)).length;
      all += Math.max(ours.length, theirs.size);
    }
  }
  return `${same} of ${all}`;
}
