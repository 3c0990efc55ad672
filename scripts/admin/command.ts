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
