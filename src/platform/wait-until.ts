/** Keeps work running after the response was sent. */
export type WaitUntil = (work: Promise<unknown>) => void;
