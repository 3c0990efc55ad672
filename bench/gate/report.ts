import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import type { Meter } from "./cpu.ts";
import type { Measured } from "./measurement.ts";
import { spreadOf } from "./statistics.ts";
import type { Budget } from "./variants.ts";
import type { WorkerName } from "./workerd.ts";

const PAGE = "docs/performance.md";
const BEGIN = "<!-- measured: begin -->";
const END = "<!-- measured: end -->";

/**
 * What ratios are relative to: its name in the table, and its blocks. Each block is compared with the one of the same round.
 */
interface Floor {
  readonly name: string;
  of(measured: Measured): Measured["blocks"];
}

/** Returns the table of a run as Markdown. */
export function tableOf(all: readonly Measured[], rounds: number, unit: Meter["unit"], floor: Floor): string {
  const rows = all.map((measured) => rowOf(measured, all, unit, floor.of(measured)));
  const lines = [headersOf(unit, floor), ["---", "---:", "---:", "---:", "---:"], ...rows];
  return [`${machine()} ${rounds} rounds.`, "", ...lines.map((cells) => `| ${cells.join(" | ")} |`)].join("\n");
}

function headersOf(unit: Meter["unit"], floor: Floor): string[] {
  const [counted, absolute] = unit === "µs" ? ["CPU", "µs CPU"] : ["instructions", "thousand instructions"];
  return ["variant", `${counted}, × ${floor.name}`, "interquartile range", "budget", absolute];
}

/** Lists what the measured gate did but should not have done. Empty if the run measured what it claims to. */
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

/** Replaces the previous run on the page. */
export function writePage(measured: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`${PAGE} lacks the lines ${BEGIN} and ${END}, between which a run stands`);
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n${measured}\n${page.slice(end)}`);
}

function rowOf(
  { variant, blocks }: Measured,
  all: readonly Measured[],
  unit: Meter["unit"],
  floors: Measured["blocks"],
): string[] {
  const ratio = spreadOf(blocks.map(({ cost }, round) => cost / costOf(floors, round)));
  const { median } = spreadOf(blocks.map(({ cost }) => cost));
  return [
    variant.title,
    times(ratio.median),
    `${times(ratio.lower)}–${times(ratio.upper)}`,
    (variant.budgets ?? [])
      .filter(({ over }) => blocksOf(all, over).length > 0)
      .map((budget) => verdict(blocks, all, budget))
      .join("; "),
    unit === "µs" ? median.toFixed(1) : (median / 1000).toFixed(0),
  ];
}

function verdict(blocks: Measured["blocks"], all: readonly Measured[], budget: Budget): string {
  const [bare, oneRead, floor] = [blocksOf(all, "bare"), blocksOf(all, "one-read"), blocksOf(all, budget.over)];
  const ratios = blocks.map(({ cost }, round) => {
    const read = budget.isBesideOneRead ? costOf(oneRead, round) - costOf(bare, round) : 0;
    return (cost - read) / costOf(floor, round);
  });
  const { median } = spreadOf(ratios);
  const name = NAMES[budget.over];
  const beside = `${name === undefined ? "" : ` of ${name}`}${budget.isBesideOneRead ? " without that read" : ""}`;
  return `≤ ${budget.most}${beside}: ${times(median)}, ${judged(median, budget.most)}`;
}

function costOf(blocks: Measured["blocks"], round: number): number {
  return blocks[round]?.cost ?? Number.NaN;
}

function times(value: number): string {
  return value.toFixed(2);
}

/** How budgets name the routes that they compare with. */
const NAMES: Partial<Record<WorkerName, string>> = {
  "bare-named": "the bare route with `keep_names`",
  reading: "the route that reads",
};

function judged(ratio: number, budget: number): string {
  return ratio <= budget ? "met" : "**missed**";
}

export function blocksOf(all: readonly Measured[], worker: WorkerName): Measured["blocks"] {
  return all.find(({ variant }) => variant.worker === worker)?.blocks ?? [];
}

function machine(): string {
  const workerd = execFileSync("workerd", ["--version"], { encoding: "utf8" }).trim();
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${availableParallelism()} cores of ${cpus()[0]?.model ?? "an unknown CPU"}, Node ${process.version}, ${workerd}.`;
}
