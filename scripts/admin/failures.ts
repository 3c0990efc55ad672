import { KeyringError } from "#crypto/keyring.ts";
import { StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Refusal } from "#protocol/errors.ts";

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
      : `The database does not respond: ${detail}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
