import { KeyringError } from "#crypto/keyring.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import type { Bindings } from "#platform/bindings.ts";
import { StorageUnavailable } from "#platform/d1.ts";
import { describeError } from "#platform/log.ts";
import { Refusal } from "#protocol/errors.ts";

/** Who the audit says it was. */
export const ACTOR = "command";

/** A request with the body that an instance's Worker is to get. */
export type SendToWorker = (url: URL, token: string, body: string) => Promise<WorkerAnswer>;

export interface WorkerAnswer {
  readonly status: number;
  readonly text: string;
}

/** What a command works on, and where it says what it did. */
export interface AdminContext {
  readonly bindings: Bindings;
  /** Where a local database is; `undefined`: it is a deployment's. */
  readonly folder: string | undefined;
  readonly print: (line: string) => void;
  /** How the Worker is asked; absent: over the network. */
  readonly send?: SendToWorker;
}

/** What a command leads to, for programs that call it; people read what it printed. */
export type AdminOutcome = Readonly<Record<string, unknown>>;

/** The command line is not one that we understand. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What a command was asked to check does not hold. The text says what, and the command ends with 1. */
export class CheckFailed extends Error {
  override readonly name = "CheckFailed";
}

/** Leaves out what a Worker logs of its work: it would stand between the lines of commands, which people and scripts read. */
export function leaveOutLog(): void {
  console.info = () => undefined;
}

/** A failure as a person at a terminal should read it: what is wrong and what to do; a stack only where it is our defect. */
export function explainFailure(error: unknown): string {
  if (error instanceof CheckFailed) return error.message;
  if (error instanceof UsageError || error instanceof AdministrationRefused) {
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
