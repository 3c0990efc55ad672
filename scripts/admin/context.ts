import type { OpenDatabase } from "./database.ts";
import type { SendToWorker } from "./worker-request.ts";

/** Who the audit says it was. */
export const ACTOR = "command";

/** Which deployment a command is about: the one of this folder that runs here, or with `--remote` the deployed one. */
export interface Place {
  /** Where its Worker answers, with `{instance}` for the name. */
  readonly address: string;
  readonly masterKeys: string | undefined;
  openDatabase(): Promise<OpenDatabase>;
}

/** What commands work with, and where they say what they did. */
export interface AdminContext {
  readonly print: (line: string) => void;
  /** Where warnings go, beside what is printed. */
  readonly complain: (line: string) => void;
  /** Asks the person at the terminal; absent: there is none. */
  readonly ask?: (question: string) => Promise<string>;
  readonly placeOf: (isRemote: boolean) => Place;
  readonly send: SendToWorker;
}

/** What a command leads to, for programs that call it; people read what it printed. */
export type AdminOutcome = Readonly<Record<string, unknown>>;
