/** An error that the person at the terminal can act on. It is printed as a sentence, without a stack. */
export class PlainError extends Error {}

/** What to do if the local state cannot be repaired. Everything in it can be created again. */
export const START_AFRESH = "Start with an empty local state: npm start -- --fresh";
