/** The exit codes, which CI can rely on. `--help` lists them. */
export const EXIT = { done: 0, failed: 1, refused: 2, incomplete: 3, held: 4 } as const;

/** A failure that its message explains completely, so that no stack is shown. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Returns the first line of an error's message, without control characters, which a file could use to rewrite the terminal. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return printable(message.split("\n")[0] ?? "").slice(0, 300);
}

/** Replaces characters that would move the cursor or turn the text around them. */
export function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\u{fffd}");
}
