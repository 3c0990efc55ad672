import type { FormState } from "#platform/form-state.ts";

/** The state of an empty form. */
export const UNTYPED: FormState = { values: {}, errors: {} };
