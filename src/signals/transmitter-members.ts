import { isSafeUrl } from "#issuers/safe-issuer.ts";
import type { Members } from "#platform/described-members.ts";
import * as v from "valibot";

/** The configuration of a system that may sign people out. */
export const TRANSMITTER_MEMBERS = {
  /** Exactly the `iss` of what it signs, byte for byte. */
  issuer: {
    schema: v.pipe(v.string(), v.check(isSafeUrl, "The issuer must be an https URL"), v.maxLength(500)),
    field: {
      as: "line",
      label: "Issuer",
      required: true,
      placeholder: "https://signals.example.com",
      hint: "The exact iss of its events, including any trailing slash.",
    },
  },
  name: {
    schema: v.pipe(v.string(), v.minLength(1, "Enter a name"), v.maxLength(80)),
    field: { as: "line", label: "Name", required: true, maxlength: 80 },
  },
  /** The `aud` of its security event tokens. */
  audience: {
    schema: v.pipe(v.string(), v.minLength(1, "Enter the audience of its events"), v.maxLength(500)),
    field: { as: "line", label: "Audience", required: true, hint: "The aud of its events." },
  },
  /** The URL of its keys; by default, the one in its metadata. */
  jwksUri: {
    schema: v.optional(
      v.pipe(v.string(), v.check(isSafeUrl, "The URL of the keys must be an https URL"), v.maxLength(500)),
    ),
    field: {
      as: "line",
      type: "url",
      label: "URL of its keys",
      hint: "If empty, it is read from the transmitter’s ssf-configuration or openid-configuration.",
    },
  },
  /** The email domains of the people that it may speak for; empty: any. */
  emailDomains: {
    schema: v.optional(
      v.pipe(
        v.array(v.pipe(v.string(), v.minLength(3), v.maxLength(255))),
        v.maxLength(50, "At most 50 email domains"),
      ),
      [],
    ),
    field: {
      as: "lines",
      label: "Email domains",
      rows: 2,
      placeholder: "acme.example",
      hint: "One per line. It may sign out only people with addresses in these domains; if empty, everybody.",
    },
  },
} satisfies Members;
