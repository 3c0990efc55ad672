/** One event, as one line of JSON. Values are identifiers, reasons and numbers: never a token, code, secret or form value. */
export interface LogEvent {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly requestId?: string | undefined;
  readonly [field: string]: unknown;
}

/**
 * Our own tokens and JWTs, by their form. No value should be one, but people paste tokens where they don't belong: into the path of
 * an address, which is logged, or as the name of something, which an error repeats.
 */
const OWN_TOKEN = /\bgh[a-z]_[\w-]{20,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g;

export function log({ level, ...event }: LogEvent): void {
  console[level](JSON.stringify({ level, ...event }).replace(OWN_TOKEN, "[token]"));
}

/**
 * Describes an unexpected error for the log: the names and messages of the chain of errors. Libraries also put what they read
 * (parameters, bodies, claims) into causes. That may contain codes and tokens, so it is left out.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return "not an error";
  const cause = error.cause instanceof Error ? ` (cause: ${describeError(error.cause)})` : "";
  return `${error.name}: ${error.message}${cause}`;
}
