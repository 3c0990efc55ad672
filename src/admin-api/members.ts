import * as v from "valibot";

export const integer = v.pipe(v.number(), v.integer());
/** Seconds since 1970. */
export const seconds = v.pipe(integer, v.description("Seconds since 1970"));
export const text = v.string();
export const texts = v.array(text);
export const flag = v.boolean();
