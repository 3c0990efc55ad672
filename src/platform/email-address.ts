import { parseEmailAddress } from "#protocol/email-address.ts";
import * as v from "valibot";

/** An address in a request: read as the sign-in reads those of people, or not at all. */
export const emailAddress = v.pipe(
  v.string(),
  v.check((text) => parseEmailAddress(text) !== undefined, "an email address"),
  v.transform((text) => parseEmailAddress(text) ?? ""),
);
