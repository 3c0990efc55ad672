import type { FormState } from "#platform/form-state.ts";

/** A form before anything is typed. */
export const UNTYPED: FormState = { values: {}, errors: {} };
