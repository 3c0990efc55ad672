/** One event, as one line of JSON. Values are identifiers, reasons and numbers: never a token, code, secret or form value. */
export interface LogEvent {
  readonly level: "info" | "warn" | "error";
  readonly event: string;
  readonly requestId?: string | undefined;
  readonly [field: string]: unknown;
}

/**
 * Tokens of ours and JWTs, by their form. No value is one, but people paste tokens where they don't belong: into the path of an
 * address, which is logged, or as the name of a thing, which a refusal repeats.
 */
const OWN_TOKEN = /\bgh[a-z]_[\w-]{20,}|\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g;

export function log({ level, ...event }: LogEvent): void {
  console[level](JSON.stringify({ level, ...event }).replace(OWN_TOKEN, "[token]"));
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
