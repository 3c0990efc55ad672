import { KeyringError } from "#crypto/keyring.ts";
import { StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Refusal } from "#protocol/errors.ts";
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

/** What was asked for cannot be done. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** The command line is not one that we understand. */
export class CommandLineError extends UsageError {
  override readonly name = "CommandLineError";
}

/** What a command was asked to check does not hold. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed";
}

/** Leaves out what a Worker logs of its work: it would stand between the lines of commands, which people and scripts read. */
export function leaveOutLog(): void {
  console.info = () => undefined;
}

/** How a command that failed ends: docs/administration.md. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CommandLineError ? 2 : 1;
}

/** A failure as a person at a terminal should read it: what is wrong and what to do; a stack only where it is our defect. */
export function explainFailure(error: unknown): string {
  if (error instanceof CheckFailed || error instanceof UsageError || error instanceof AdministrationRefused) {
    return error.message;
  }
  if (error instanceof Refusal) return error.description;
  if (error instanceof KeyringError) return `The master key cannot be used: ${error.message}`;
  if (error instanceof StorageUnavailable) {
    const detail = describeError(error);
    return detail.includes("no such table")
      ? "The database has no tables yet. Run: npm run admin -- schema apply"
      : `The database does not answer: ${detail}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
