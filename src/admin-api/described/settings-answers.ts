import { settingsSchema } from "#settings/settings.ts";
import { connectionSchema } from "#single-sign-on/connection.ts";
import * as v from "valibot";
import { flag, seconds, text } from "#admin-api/members.ts";
import { STAGES } from "#admin-api/settings-operations.ts";
import { type DescribedOperations, listed, outcome } from "./operation.ts";

const connection = v.omit(connectionSchema, ["clientSecret"]);

const signingKey = v.object({
  kid: text,
  stage: v.picklist(STAGES),
  createdAt: seconds,
  stagedAt: seconds,
});

/** Operations about settings, the logo, where people sign in, and keys. */
export const SETTINGS_DESCRIPTIONS: DescribedOperations = {
  "GET /settings": { summary: "Read all settings, defaults included", answer: settingsSchema },
  "PATCH /settings": { summary: "Change settings; those that are left out stay as they are", answer: settingsSchema },
  "PUT /logo": { summary: "Put another logo on every page: PNG, JPEG or WebP, at most 32 KB", answer: outcome },
  "DELETE /logo": { summary: "Remove the logo", answer: outcome },
  "GET /single-sign-on": { summary: "Read where people sign in; never the secret", answer: connection },
  "PUT /single-sign-on": {
    summary: "Connect the organisation’s SSO",
    description: "Without `clientSecret` the stored one is kept, for the same client at the same issuer.",
    answer: connection,
  },
  "GET /signing-keys": listed(signingKey, "List the keys that sign access tokens"),
  "POST /signing-keys": {
    summary: "Sign with a new key at once",
    description: "With `isCompromised`, the old key's tokens end too, and apps refresh.",
    answer: v.object({ changed: flag }),
  },
};
