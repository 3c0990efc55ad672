/** One event, as one line of JSON. Values are identifiers, reasons and numbers: never a token, code, secret or form value. */
export interface LogEvent {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly requestId?: string | undefined;
  readonly [field: string]: unknown;
}

export function log({ level, ...event }: LogEvent): void {
  console[level](JSON.stringify({ level, ...event }));
}

/**
 * An unexpected error, as a log may hold it: the names and texts of errors down the chain. Libraries also chain what they read
 * (parameters, bodies, claims) as causes; that may hold codes and tokens, so it is left out.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return "not an error";
  const cause = error.cause instanceof Error ? ` (cause: ${describeError(error.cause)})` : "";
  return `${error.name}: ${error.message}${cause}`;
}
