import { PERSONS } from "./corpus.ts";
import type { Judgement } from "./exact.ts";
import type { Cell, MeasuredSearches } from "./measurement.ts";
import { KINDS } from "./questions.ts";
import type { Written } from "./writing.ts";

/** Returns a run as Markdown. */
export function tablesOf(documents: number, written: Written, measured: MeasuredSearches): string {
  return [
    `### ${documents.toLocaleString("en")} documents`,
    writingOf(written),
    searchTablesOf(documents, measured),
  ].join("\n\n");
}

/** Describes what writing cost. */
function writingOf({ documentsPerSecond, cpuPerDocument, bytesPerDocument, step }: Written): string {
  return [
    `Writing: ${documentsPerSecond.toFixed(0)} documents/s, ${cpuPerDocument.toFixed(2)} ms CPU and ${bytesPerDocument.toFixed(0)} bytes a document; a step of`,
    `${step.documents.toFixed(0)} documents takes ${step.middle.toFixed(0)} ms, at most ${step.most.toFixed(0)} ms, with a floor of ${step.floor.toFixed(2)} ms.`,
  ].join(" ");
}

/** Returns what searches cost and how good they are, without the writing. */
function searchTablesOf(documents: number, { floor, visible, cells }: MeasuredSearches): string {
  const worst = (of: (cell: Cell) => number) => Math.max(...cells.map(of));
  return [
    `${documents.toLocaleString("en")} documents: floor ${floor.toFixed(2)} ms. Worst search ${worst(({ cpu }) => cpu).toFixed(1)} ms, ${worst((cell) => cell.floors).toFixed(0)} floors.`,
    table(
      "CPU, ms (× floor; naive form, ms)",
      cells,
      visible,
      ({ cpu, floors, naive }) =>
        `${cpu.toFixed(1)} (${floors.toFixed(0)}${naive === null ? "" : `; ${naive.toFixed(1)}`})`,
    ),
    table(
      "First search after waking, CPU ms (× floor)",
      cells,
      visible,
      ({ waking, wakingFloors }) => `${waking.toFixed(1)} (${wakingFloors.toFixed(0)})`,
    ),
    table("Of the first ten by exact weighing; gain (gain over any order)", cells, visible, ({ judgements }) =>
      judgements.length === 0
        ? ""
        : `${sum(judgements, ({ same }) => same)} of ${sum(judgements, ({ of }) => of)}; ${mean(judgements, ({ gain }) => gain)} (${mean(judgements, ({ gainOfAny }) => gainOfAny)})`,
    ),
  ].join("\n\n");
}

const sum = (judgements: readonly Judgement[], of: (one: Judgement) => number) =>
  judgements.reduce((total, one) => total + of(one), 0);

const mean = (judgements: readonly Judgement[], of: (one: Judgement) => number) =>
  (sum(judgements, of) / judgements.length).toFixed(2);

/** Returns a table with a row for each kind of search and a column for each person. */
function table(
  title: string,
  cells: readonly Cell[],
  visible: MeasuredSearches["visible"],
  textOf: (cell: Cell) => string,
): string {
  const lines = [
    [title, ...PERSONS.map((person) => person.name + seenBy(visible.get(person)))],
    ["---", ...PERSONS.map(() => "---")],
    ...KINDS.map((kind) => [
      kind.name,
      ...PERSONS.map((person) => {
        const cell = cells.find((one) => one.kind === kind && one.person === person);
        return cell ? textOf(cell) : "";
      }),
    ]),
  ];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function seenBy(documents: number | null | undefined): string {
  return documents == null ? "" : ` (sees ${documents.toLocaleString("en")})`;
}
