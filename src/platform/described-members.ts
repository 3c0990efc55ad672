import type * as v from "valibot";

/** What an API's description says about a member, and an example unless its type lists all values. */
export type Words = readonly [description: string, example?: unknown];

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Returns the values of options, for the schema of the member that has one of them. */
export function valuesOf<const Value extends string>(
  options: readonly (Option & { readonly value: Value })[],
): Value[] {
  return options.map(({ value }) => value);
}

/** How a form shows a member and reads it. `pages/views/form.tsx` shows it, `admin-console/form-values.ts` reads it. */
export type FormField = {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
} & (
  | { readonly as: "line"; readonly type?: "url"; readonly maxlength?: number; readonly required?: true }
  /** One value per line; as `claims`, one `<claim>=<value>`. */
  | { readonly as: "lines" | "claims"; readonly rows?: number }
  | { readonly as: "switch" }
  /** A choice of one, which may be absent only if the member has a default that is safe; or of several. Absent options: the form knows them. */
  | { readonly as: "select" | "radio"; readonly options?: readonly Option[]; readonly isRequired?: true }
  | { readonly as: "checkboxes"; readonly options?: readonly Option[] }
  /** Stored in seconds, within these limits, and shown in the unit. */
  | { readonly as: "duration"; readonly unitSeconds: number; readonly limits: readonly [least: number, most: number] }
);

/** A member of a noun: what it may be, and how a form asks for it, if one does. */
export interface Member {
  readonly schema: v.GenericSchema;
  readonly field?: FormField;
}

export type Members = Readonly<Record<string, Member>>;

type Schemas<Of extends Members> = { readonly [Name in keyof Of]: Of[Name]["schema"] };

/** Returns the entries of the object that has these members. */
export function schemasOf<const Of extends Members>(members: Of): Schemas<Of> {
  return Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema])) as Schemas<Of>;
}

/** The names of the members that a form asks for. */
type FieldName<Of extends Members> = {
  [Name in keyof Of]: Of[Name] extends { readonly field: FormField } ? Name : never;
}[keyof Of] &
  string;

export type Fields<Name extends string = string> = Readonly<Record<Name, FormField>>;

/** Returns the fields of the form that asks for these members, in its order. */
export function fieldsOf<Of extends Members, Name extends FieldName<Of>>(
  members: Of,
  names: readonly Name[],
): Fields<Name> {
  return Object.fromEntries(names.map((name) => [name, members[name]?.field])) as Fields<Name>;
}

/** Returns the fields, with options that only the form knows. */
export function withOptions<Name extends string>(
  fields: Fields<Name>,
  options: Readonly<Partial<Record<NoInfer<Name>, readonly Option[]>>>,
): Fields<Name> {
  const added = Object.entries<readonly Option[] | undefined>(options);
  return {
    ...fields,
    ...Object.fromEntries(added.map(([name, of]) => [name, { ...fields[name as Name], options: of }])),
  };
}

/**
 * The contents of a form: the values that were typed or stored, and what is wrong with them, by the name of the field.
 */
export interface FormState {
  readonly values: Readonly<Record<string, string | readonly string[]>>;
  /** By field; messages that belong to no field are under the empty name. */
  readonly errors: Readonly<Record<string, string>>;
}
