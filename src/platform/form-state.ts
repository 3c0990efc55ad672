/**
 * The contents of a form: the values that were typed or stored, and what is wrong with them, by the name of the field.
 */
export interface FormState {
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  /** By field; messages that belong to no field are under the empty name. */
  readonly errors: Readonly<Record<string, string>>;
}
