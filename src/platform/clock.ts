/** Returns seconds since 1970. Rules get the clock as an argument, so that tests can choose the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Math.floor(Date.now() / 1000);

/** Returns milliseconds since 1970, for the few things of which a second can hold two. */
export type MillisecondClock = () => number;

export const systemMillisecondClock: MillisecondClock = () => Date.now();

/** Returns a time, in seconds since 1970, in the form of ISO 8601 and RFC 3339. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
