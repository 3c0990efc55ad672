/** Returns seconds since 1970. Rules get the clock as an argument, so that tests can choose the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Math.floor(Date.now() / 1000);

/** Returns milliseconds since 1970, for the few things of which a second can hold two. */
export type MillisecondClock = () => number;

export const systemMillisecondClock: MillisecondClock = () => Date.now();
