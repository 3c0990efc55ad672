import type { Members } from "#platform/described-members.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";

/** What administrators decide about a service account. `service-account.ts` has the rules. */
export const ACCOUNT_MEMBERS = {
  name: {
    schema: v.string(),
    field: {
      as: "line",
      label: "Name",
      required: true,
      maxlength: 40,
      placeholder: "nightly-report",
      hint: "Lower-case letters, digits and hyphens. It can’t be changed later.",
    },
  },
  groups: {
    schema: v.array(v.string()),
    field: {
      as: "lines",
      label: "Groups",
      hint: "One per line, as your directory names them. It finds documents that these groups may see, and documents that are open to everybody.",
    },
  },
  scopes: {
    schema: v.array(v.picklist(API_SCOPES, `a scope is one of ${API_SCOPES.join(", ")}`)),
    field: { as: "checkboxes", label: "Scopes" },
  },
} satisfies Members;

/** Which of its platform's tokens stand for a service account. `workload-rule.ts` has the rules. */
export const WORKLOAD_MEMBERS = {
  issuer: {
    schema: v.string(),
    field: {
      as: "line",
      label: "Issuer of the platform",
      placeholder: "https://token.actions.githubusercontent.com",
      hint: "The exact value of the iss claim of the platform’s tokens.",
    },
  },
  claims: {
    schema: v.record(v.string(), v.string()),
    field: {
      as: "claims",
      label: "Required claims",
      placeholder: "repository=acme/reports",
      hint: "One claim=value per line, compared exactly. At least one must identify the workload.",
    },
  },
  jwksUri: {
    schema: v.exactOptional(v.string()),
    field: {
      as: "line",
      type: "url",
      label: "URL of the platform’s keys",
      hint: "If empty, it is read from the issuer’s discovery document.",
    },
  },
  isSingleUse: {
    schema: v.optional(v.boolean(), false),
    field: {
      as: "switch",
      label: "Accept each platform token once",
      hint: "Leave this off if the workload reuses a token, as on Kubernetes.",
    },
  },
} satisfies Members;
