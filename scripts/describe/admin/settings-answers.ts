import { settingsSchema } from "#settings/settings.ts";
import { connectionSchema } from "#single-sign-on/connection.ts";
import * as v from "valibot";
import { flag, seconds, text } from "#admin-api/members.ts";
import { STAGES } from "#admin-api/settings-operations.ts";
import { changes, type DescribedOperations, listed } from "./described.ts";

const connection = v.omit(connectionSchema, ["clientSecret"]);

const singleSignOn = v.object({ ...connection.entries, redirectUri: text });

const signingKey = v.object({
  kid: text,
  stage: v.picklist(STAGES),
  createdAt: seconds,
  stagedAt: seconds,
});

export const SETTINGS_DESCRIPTIONS: DescribedOperations = {
  "GET /settings": { summary: "Read all settings, including defaults", answer: settingsSchema },
  "PATCH /settings": {
    summary: "Change settings; those that you leave out don’t change, and `null` restores a default",
    request: v.strictObject(changes(settingsSchema.entries)),
    answer: settingsSchema,
  },
  "PUT /logo": "Set the logo shown on every page: PNG, JPEG or WebP, at most 32 KB",
  "DELETE /logo": "Remove the logo",
  "GET /single-sign-on": { summary: "Read the connection to the SSO, without its secret", answer: connection },
  "PUT /single-sign-on": {
    summary: "Connect the organisation’s SSO",
    description:
      "If the issuer and the client id don’t change, you can leave out `clientSecret` to keep the stored one. With several SSOs, this changes the one with this issuer.",
    answer: connection,
  },
  "GET /single-sign-ons": listed(singleSignOn, "List the SSOs where people sign in, without their secrets"),
  "GET /single-sign-ons/:issuer": {
    summary: "Read the connection to an SSO; its issuer is one percent-encoded part of the path",
    answer: singleSignOn,
  },
  "PUT /single-sign-ons/:issuer": {
    summary: "Change the connection to an SSO, or connect to another one",
    description:
      "With several SSOs, each needs `emailDomains` that no other one has. The people and the groups of each are others than those of the rest.",
    answer: singleSignOn,
  },
  "DELETE /single-sign-ons/:issuer": "Remove an SSO. What people got there ends; they can’t sign in any more",
  "GET /signing-keys": listed(signingKey, "List the keys that sign access tokens"),
  "POST /signing-keys": {
    summary: "Start signing with a new key now",
    description: "With `isCompromised`, the old key’s tokens also stop working, and apps refresh.",
    answer: v.object({ changed: flag }),
  },
};
