import type { AdminContext, AdminOutcome } from "./context.ts";

/** One command: what it is called, how it is used, and what it does. */
export interface Command {
  /** The words that name it, such as `oauth enable`. */
  readonly name: string;
  /** Its arguments, as help shows them. */
  readonly usage: string;
  readonly purpose: string;
  run(args: readonly string[], context: AdminContext): Promise<AdminOutcome>;
}

/** A command that asks the Admin API of a running Worker, and opens no database. */
export interface ApiCommand extends Omit<Command, "run"> {
  readonly asksApi: true;
  run(args: readonly string[], context: Pick<AdminContext, "print">): Promise<AdminOutcome>;
}
