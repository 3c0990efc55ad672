/** What a form shows: what was typed or is stored, and what is wrong with it, by the name of the field. */
export interface FormState {
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  /** By field; under the empty name what is about no field. */
  readonly errors: Readonly<Record<string, string>>;
}
