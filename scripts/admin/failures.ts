import { KeyringError } from "#crypto/keyring.ts";
import { ConfigurationError } from "#platform/configuration.ts";
import { StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { Refusal } from "#protocol/errors.ts";

/** A request that cannot be carried out. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}

/** A command line with a mistake. */
export class CommandLineError extends UsageError {
  override readonly name = "CommandLineError";
}

/** A check that a command ran and that failed. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed";
}

/** Turns off the Worker's log, which would mix with the lines of commands that people and scripts read. */
export function leaveOutLog(): void {
  console.info = () => undefined;
}

/** Returns the exit code of a failed command: docs/administration.md. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CommandLineError ? 2 : 1;
}

/**
 * Explains a failure to a person at a terminal: what is wrong and what to do. A stack is shown only if the defect is ours.
 */
export function explainFailure(error: unknown): string {
  const isForPeople = [CheckFailed, UsageError, AdministrationRefused, ConfigurationError].some(
    (kind) => error instanceof kind,
  );
  if (error instanceof Error && isForPeople) return error.message;
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
