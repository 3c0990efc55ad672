import type { AdminApi } from "./admin-api.ts";
import type { OpenDatabase } from "./database.ts";
import type { Place } from "./context.ts";
import type { SendToWorker } from "./worker-request.ts";

/** A parsed command line. */
export interface Input {
  /** An argument. */
  word(name: string): string;
  /** All values of the last argument, if it takes several. */
  words(name: string): readonly string[];
  option(name: string): string | undefined;
  /** An option that may be repeated. */
  all(name: string): readonly string[];
  flag(name: string): boolean;
  /** Asks a question and returns the answer; `undefined` if nobody can be asked. */
  ask(question: string): Promise<string | undefined>;
  /**
   * Asks whether to continue, unless `--yes` was given.
   *
   * @param loss what would end, as a sentence
   * @throws {UsageError} if the answer isn't yes, or if nobody can be asked
   */
  confirm(loss: string): Promise<void>;
}

/** The outcome of a command. */
export interface Outcome {
  /** What `--json` prints: the response of the Admin API, with its names. */
  readonly answer: unknown;
  /** What is printed for people instead. */
  readonly lines: Iterable<string> | AsyncIterable<string>;
  /** Lines for standard error, with and without `--json`. */
  readonly notes?: readonly string[];
  /** The problem that a check found. The command then exits 1. */
  readonly failure?: string | undefined;
}

/**
 * The meaning of each option, by its flags, such as `--name <name>`. An option whose flags end with `…` may be repeated.
 */
export type OptionTexts = Readonly<Record<string, string>>;

/** How to call a command, and its text in help. */
export interface CommandText {
  /** Its words and arguments, such as `client edit <instance> <client-id>`. */
  readonly usage: string;
  readonly purpose: string;
  /** Whole lines, without `npm run admin -- `. */
  readonly examples: readonly [string, ...string[]];
  /** Lines that help shows after the examples. */
  readonly more?: readonly string[];
  /** Required options. */
  readonly needs?: OptionTexts;
  readonly options?: OptionTexts;
  /** Whether it can end access, so that it has to ask first. */
  readonly asksFirst?: boolean;
  /** The options whose member in the Admin API has a different name. */
  readonly members?: Readonly<Record<string, string>>;
  /** Whether it prints a file. It then has no `--json`. */
  readonly printsFile?: boolean;
}

/** A command that calls the Admin API of a running Worker. */
export interface ApiCommand extends CommandText {
  readonly asks: "api";
  run(input: Input, api: AdminApi): Promise<Outcome>;
}

/** A command that opens the database, because no running Worker can do its work. */
export interface DatabaseCommand extends CommandText {
  readonly asks: "database";
  run(input: Input, database: OpenDatabase, send: SendToWorker, place: Place): Promise<Outcome>;
}

/** A command that needs neither a Worker nor a database. */
export interface PlainCommand extends CommandText {
  readonly asks: "nobody";
  run(input: Input): Outcome;
}

export type AdminCommand = ApiCommand | DatabaseCommand | PlainCommand;
