import { externalIssuerSchema } from "#issuers/external-issuer.ts";
import * as v from "valibot";
import { flag, seconds } from "#admin-api/members.ts";
import { type DescribedOperations, listed, outcome } from "./operation.ts";

const issuer = v.object({ ...externalIssuerSchema.entries, createdAt: seconds, changedAt: seconds, isDisabled: flag });

/** Descriptions of operations about identity providers whose tokens are accepted. */
export const ISSUER_DESCRIPTIONS: DescribedOperations = {
  "GET /issuers": listed(issuer, "List the identity providers whose tokens the Client API accepts"),
  "POST /issuers": { summary: "Register a new identity provider", answer: issuer },
  "GET /issuers/:issuer": {
    summary: "Read an identity provider; its URL is one percent-encoded part of the path",
    answer: issuer,
  },
  "PUT /issuers/:issuer": { summary: "Register an identity provider, or replace its configuration", answer: issuer },
  "PATCH /issuers/:issuer": {
    summary: "Change an identity provider; members that you leave out don’t change, and `null` restores a default",
    answer: issuer,
  },
  "DELETE /issuers/:issuer": {
    summary: "Remove an identity provider; people who were created through it stay",
    answer: outcome,
  },
  "POST /issuers/:issuer/disable": { summary: "Refuse an identity provider’s tokens", answer: outcome },
  "POST /issuers/:issuer/enable": { summary: "Accept an identity provider’s tokens again", answer: outcome },
};
