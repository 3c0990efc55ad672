import { parseEmailAddress } from "#protocol/email-address.ts";
import * as v from "valibot";

/** The schema of an email address in a request. It accepts and normalises addresses as the sign-in does. */
export const emailAddress = v.pipe(
  v.string(),
  v.check((text) => parseEmailAddress(text) !== undefined, "expected an email address"),
  v.transform((text) => parseEmailAddress(text) ?? ""),
);
