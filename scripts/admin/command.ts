import type { AdminApi } from "./admin-api.ts";
import type { OpenDatabase } from "./database.ts";
import type { SendToWorker } from "./worker-request.ts";

/** A command line, read, and the person behind it. */
export interface Input {
  /** An argument. */
  word(name: string): string;
  /** All values of the last argument, if it takes several. */
  words(name: string): readonly string[];
  option(name: string): string | undefined;
  /** An option that may be repeated. */
  all(name: string): readonly string[];
  flag(name: string): boolean;
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
  /** What `--json` prints: what the Admin API answered, under its names. */
  readonly answer: unknown;
  /** What people read instead. */
  readonly lines: Iterable<string> | AsyncIterable<string>;
  /** Lines for standard error, with and without `--json`. */
  readonly notes?: readonly string[];
  /** What a check found wrong. The command then exits 1. */
  readonly failure?: string | undefined;
}

/** By its flags, such as `--name <name>`: what an option means. One whose flags end with `…` may be repeated. */
export type OptionTexts = Readonly<Record<string, string>>;

/** How a command is called, and what help and docs/administration.md say of it. */
export interface CommandText {
  /** Its words and arguments, such as `client edit <instance> <client-id>`. */
  readonly usage: string;
  readonly purpose: string;
  /** Whole lines, without `npm run admin -- `. */
  readonly examples: readonly [string, ...string[]];
  /** Required options. */
  readonly needs?: OptionTexts;
  readonly options?: OptionTexts;
  /** Whether it can end access, so that it has to ask first. */
  readonly asksFirst?: boolean;
  /** The options that set a member of the Admin API under another name than their own. */
  readonly members?: Readonly<Record<string, string>>;
  /** Whether it prints a file, whatever `--json` says. */
  readonly printsFile?: boolean;
}

/** A command that asks the Admin API of a running Worker. */
export interface ApiCommand extends CommandText {
  readonly asks: "api";
  run(input: Input, api: AdminApi): Promise<Outcome>;
}

/** A command for what no running Worker can do: it opens the database. */
export interface DatabaseCommand extends CommandText {
  readonly asks: "database";
  run(input: Input, database: OpenDatabase, send: SendToWorker): Promise<Outcome>;
}

/** A command that asks neither a Worker nor a database. */
export interface PlainCommand extends CommandText {
  readonly asks: "nobody";
  run(input: Input): Outcome;
}

export type AdminCommand = ApiCommand | DatabaseCommand | PlainCommand;
