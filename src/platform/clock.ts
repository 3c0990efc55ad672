/** Seconds since 1970. Rules get the time from outside, so that tests can be at any moment. */
export type Clock = () => number;

export const systemClock: Clock = () => Math.floor(Date.now() / 1000);
