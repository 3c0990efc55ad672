import { parseArgs } from "node:util";

/** Instructions repeat, so few rounds of them say as much as many of CPU. */
const ROUNDS_OF_INSTRUCTIONS = 3;

/** What a bench was asked for. */
interface Options {
  readonly rounds: number;
  readonly countsInstructions: boolean;
  /** The Workers to measure; all, unless some are named. */
  readonly only: ReadonlySet<string> | undefined;
}

/** Reads the command line. Ends the program where it makes no sense. */
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
  const only = values.only && new Set(values.only);
  return { rounds, countsInstructions: values.instructions, only };
}
