/** Returns seconds since 1970. Rules get the clock as an argument, so that tests can choose the time. */
export type Clock = () => number;

export const systemClock: Clock = () => Math.floor(Date.now() / 1000);
