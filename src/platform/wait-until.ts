/** Keeps work going after the answer was sent. */
export type WaitUntil = (work: Promise<unknown>) => void;
