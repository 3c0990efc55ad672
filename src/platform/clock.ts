/** Returns the time, in seconds since 1970. */
export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Returns a time, in seconds since 1970, in the form of ISO 8601 and RFC 3339. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
