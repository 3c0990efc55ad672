import type { OpenDatabase } from "./database.ts";
import type { SendToWorker } from "./worker-request.ts";

/** The actor in audit entries of commands. */
export const ACTOR = "command";

/** The deployment that a command works on: this folder's one that runs here, or with `--remote` the deployed one. */
export interface Place {
  /** Its Worker's address, with `{instance}` in place of the name. */
  readonly address: string;
  readonly masterKeys: string | undefined;
  openDatabase(): Promise<OpenDatabase>;
}

/** What commands work with, and where they print. */
export interface AdminContext {
  readonly print: (line: string) => void;
  /** Prints a warning to standard error. */
  readonly complain: (line: string) => void;
  /** Asks the person at the terminal; absent if there is nobody to ask. */
  readonly ask?: (question: string) => Promise<string>;
  readonly placeOf: (isRemote: boolean) => Place;
  readonly send: SendToWorker;
}

/** A command's result, for programs that call it. People read what it printed. */
export type AdminOutcome = Readonly<Record<string, unknown>>;
