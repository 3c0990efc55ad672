import { parseArgs } from "node:util";
import type { Variant } from "./variants.ts";

/**
 * Counts of instructions repeat, so a few rounds say as much as many of CPU time. In one of five, D1 or V8 may clean up.
 */
const ROUNDS_OF_INSTRUCTIONS = 5;

/** The options of a bench. */
interface Options {
  readonly rounds: number;
  readonly countsInstructions: boolean;
  /** Whether a Worker is measured: all are, unless `--only` names others. */
  readonly isChosen: (worker: string) => boolean;
  /** The variants to measure. */
  readonly choose: (variants: readonly Variant[]) => readonly Variant[];
}

/** Reads the command line. Exits if an option is invalid. */
export function readOptions(roundsOfCpu: number): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: "string" },
      instructions: { type: "boolean", default: false },
      only: { type: "string", multiple: true },
    },
  });
  const rounds = Number(values.rounds ?? (values.instructions ? ROUNDS_OF_INSTRUCTIONS : roundsOfCpu));
  if (!Number.isSafeInteger(rounds) || rounds < 1) {
    console.error("--rounds takes a whole number from 1");
    process.exit(2);
  }
  const isChosen = (worker: string) => values.only?.includes(worker) ?? true;
  const choose = (variants: readonly Variant[]) => variants.filter(({ worker }) => isChosen(worker));
  return { rounds, countsInstructions: values.instructions, isChosen, choose };
}
