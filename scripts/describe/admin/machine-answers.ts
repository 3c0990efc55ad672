import * as v from "valibot";
import { appContent } from "./app-answers.ts";
import { flag, seconds, text } from "#admin-api/members.ts";
import { publicKeys } from "#clients/app-members.ts";
import { schemasOf } from "#platform/described-members.ts";
import { ACCOUNT_MEMBERS, WORKLOAD_MEMBERS } from "#service-accounts/service-account-members.ts";
import { type DescribedOperations, listed } from "./described.ts";

const serviceAccount = v.object({
  id: text,
  ...schemasOf(ACCOUNT_MEMBERS),
  proof: v.union([
    v.object({ keys: publicKeys }),
    v.object({ workload: v.object({ ...schemasOf(WORKLOAD_MEMBERS), isSingleUse: flag }) }),
  ]),
  createdAt: seconds,
  changedAt: seconds,
  lastUsedAt: v.nullable(seconds),
  isDisabled: flag,
});

export const MACHINE_DESCRIPTIONS: DescribedOperations = {
  "GET /service-accounts": listed(serviceAccount, "List the service accounts: machines with access of their own"),
  "POST /service-accounts": {
    summary: "Create a service account",
    description: "Its id is its client id. A workload rule is refused if everybody at the issuer satisfies it.",
    answer: serviceAccount,
  },
  "GET /service-accounts/:id": { summary: "Read a service account", answer: serviceAccount },
  "PATCH /service-accounts/:id": {
    summary: "Change a service account’s groups, scopes or proof",
    description: "Members that you leave out don’t change. Changes apply to running tokens within 10 seconds.",
    answer: serviceAccount,
  },
  "POST /service-accounts/:id/disable": "Disable a service account; its tokens stop working within 10 seconds",
  "POST /service-accounts/:id/enable": "Enable a service account again; it can get new tokens",
  "PUT /service-accounts/:id/content": {
    summary: "Set what a service account may search, or all tokens that administrators create for a person",
    description: "The id is a service account's, or `personal-tokens`. Conditions are as for apps.",
    answer: appContent,
  },
  "DELETE /service-accounts/:id": "Delete a service account; its tokens stop working within 10 seconds",
};
