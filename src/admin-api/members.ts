import * as v from "valibot";

export const integer = v.pipe(v.number(), v.integer());
/** Seconds since 1970. */
export const seconds = v.pipe(integer, v.description("Seconds since 1970"));
export const text = v.string();
export const texts = v.array(text);
export const flag = v.boolean();

/** Makes each member one that can be left out. */
export function exactOptionals<const Entries extends v.ObjectEntries>(entries: Entries) {
  return Object.fromEntries(
    Object.entries(entries).map(([name, schema]) => [name, v.exactOptional(schema)]),
  ) as unknown as { readonly [Name in keyof Entries]: v.ExactOptionalSchema<Entries[Name], undefined> };
}
