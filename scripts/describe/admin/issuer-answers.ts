import { externalIssuerSchema } from "#issuers/external-issuer.ts";
import * as v from "valibot";
import { flag, seconds } from "#admin-api/members.ts";
import { changes, type DescribedOperations, listed } from "./described.ts";

const { entries } = externalIssuerSchema;
const issuer = v.object({ ...entries, createdAt: seconds, changedAt: seconds, isDisabled: flag });

const changed = v.object({
  ...changes(entries),
  createdAt: v.optional(seconds),
  changedAt: v.optional(seconds),
  isDisabled: v.optional(flag),
});
const { name, clientIds, scopes } = entries;
const replacement = v.object({ ...changed.entries, name, clientIds, scopes });
const added = v.object({ ...replacement.entries, issuer: entries.issuer });

/** Descriptions of operations about identity providers whose tokens are accepted. */
export const ISSUER_DESCRIPTIONS: DescribedOperations = {
  "GET /issuers": listed(issuer, "List the identity providers whose tokens the Client API accepts"),
  "POST /issuers": { summary: "Register a new identity provider", request: added, answer: issuer },
  "GET /issuers/:issuer": {
    summary: "Read an identity provider; its URL is one percent-encoded part of the path",
    answer: issuer,
  },
  "PUT /issuers/:issuer": {
    summary: "Register an identity provider, or replace its configuration",
    request: replacement,
    answer: issuer,
  },
  "PATCH /issuers/:issuer": {
    summary: "Change an identity provider; members that you leave out don’t change, and `null` restores a default",
    request: changed,
    answer: issuer,
  },
  "DELETE /issuers/:issuer": "Remove an identity provider; people who were created through it stay",
  "POST /issuers/:issuer/disable": "Refuse an identity provider’s tokens",
  "POST /issuers/:issuer/enable": "Accept an identity provider’s tokens again",
};
