/** A reason to stop that the person at the terminal can act on: it is printed as a sentence, without a stack. */
export class PlainError extends Error {}

/** The remedy for a local state that cannot be repaired: everything in it can be made again. */
export const START_AFRESH = "Start with an empty local state: npm start -- --fresh";
