import { parseArgs } from "node:util";
import type { Variant } from "./variants.ts";

/** Instructions repeat, so few rounds of them say as much as many of CPU. */
const ROUNDS_OF_INSTRUCTIONS = 3;

/** What a bench was asked for. */
interface Options {
  readonly rounds: number;
  readonly countsInstructions: boolean;
  /** The variants to measure: all of them, unless `--only` names their Workers. */
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
  const choose = (variants: readonly Variant[]) =>
    variants.filter(({ worker }) => values.only?.includes(worker) ?? true);
  return { rounds, countsInstructions: values.instructions, choose };
}
