import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import type { Measured } from "./measurement.ts";
import { spreadOf } from "./statistics.ts";
import type { Budget } from "./variants.ts";
import type { WorkerName } from "./workerd.ts";

const PAGE = "docs/performance.md";
const BEGIN = "<!-- measured: begin -->";
const END = "<!-- measured: end -->";

/** The table of a run, as Markdown: ratios are to the bare route's block of the same round. */
export function tableOf(all: readonly Measured[], rounds: number): string {
  const rows = all.map((measured) => rowOf(measured, all));
  const header = ["variant", "CPU, × bare", "half of the rounds within", "budget", "µs CPU", "wall, × bare"];
  const lines = [header, ["---", "---:", "---:", "---:", "---:", "---:"], ...rows];
  return [`${machine()} ${rounds} rounds.`, "", ...lines.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}

/** What the gate did besides computing, as Markdown. */
export function operationsOf(all: readonly Measured[]): string {
  const rows = all.flatMap(({ variant, requests, operations }) =>
    operations
      ? [
          [
            variant.title,
            requests,
            operations.storage,
            operations.fetches,
            operations.verifications,
            operations.renewals,
          ],
        ]
      : [],
  );
  const header = ["variant", "requests", "storage operations", "fetches", "signatures verified", "policy renewals"];
  return [header, ["---", "---:", "---:", "---:", "---:", "---:"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** What the measured gate should not have done; empty when the run measured what it says. */
export function objectionsTo(all: readonly Measured[]): string[] {
  return all.flatMap(({ variant, requests, operations }) => {
    if (!operations || !variant.expected) return [];
    const expected = { fetches: 0, ...variant.expected };
    return (["verifications", "storage", "fetches"] as const)
      .filter((name) => operations[name] !== requests * expected[name])
      .map(
        (name) => `${variant.title}: ${operations[name]} ${name} for ${requests} requests, not ${expected[name]} each`,
      );
  });
}

/** Puts a run into the page, in the place of the run before. */
export function writePage(measured: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`${PAGE} lacks the lines ${BEGIN} and ${END}, between which a run stands`);
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n${measured}\n${page.slice(end)}`);
}

function rowOf(measured: Measured, all: readonly Measured[]): string[] {
  const { variant, blocks } = measured;
  const [cpu, wall] = (["cpuMicroseconds", "wallMicroseconds"] as const).map((of) => {
    const bare = blocksOf(all, "bare");
    return spreadOf(blocks.map((block, round) => block[of] / (bare[round]?.[of] ?? Number.NaN)));
  });
  if (!cpu || !wall) throw new RangeError("nothing was measured");
  const times = (value: number) => value.toFixed(2);
  return [
    variant.title,
    times(cpu.median),
    `${times(cpu.lower)}–${times(cpu.upper)}`,
    (variant.budgets ?? []).map((budget) => verdict(blocks, all, budget)).join("; "),
    spreadOf(blocks.map((block) => block.cpuMicroseconds)).median.toFixed(1),
    times(wall.median),
  ];
}

function verdict(blocks: Measured["blocks"], all: readonly Measured[], budget: Budget): string {
  const [bare, oneRead, floor] = [blocksOf(all, "bare"), blocksOf(all, "one-read"), blocksOf(all, budget.over)];
  const cpuOf = (of: Measured["blocks"], round: number) => of[round]?.cpuMicroseconds ?? Number.NaN;
  const ratios = blocks.map(({ cpuMicroseconds }, round) => {
    const read = budget.isBesideOneRead ? cpuOf(oneRead, round) - cpuOf(bare, round) : 0;
    return (cpuMicroseconds - read) / cpuOf(floor, round);
  });
  const { median } = spreadOf(ratios);
  const beside = `${budget.over === "bare" ? "" : ` of ${NAMES[budget.over]}`}${budget.isBesideOneRead ? " without the read" : ""}`;
  return `≤ ${budget.most}${beside}: ${median.toFixed(2)}, ${judged(median, budget.most)}`;
}

/** What a budget calls the routes that it measures by. */
const NAMES: Partial<Record<WorkerName, string>> = {
  "bare-named": "the bare route with `keep_names`",
  reading: "the route that reads",
};

function judged(ratio: number, budget: number): string {
  return ratio <= budget ? "kept" : "**missed**";
}

function blocksOf(all: readonly Measured[], worker: WorkerName): Measured["blocks"] {
  return all.find(({ variant }) => variant.worker === worker)?.blocks ?? [];
}

function machine(): string {
  const workerd = execFileSync("workerd", ["--version"], { encoding: "utf8" }).trim();
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? "an unknown CPU"}, Node ${process.version}, ${workerd}.`;
}
