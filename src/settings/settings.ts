import type { SealPurpose } from "#crypto/key-purposes.ts";
import { schemasOf } from "#platform/described-members.ts";
import { shownName } from "#platform/members.ts";
import * as v from "valibot";
import { SETTING_MEMBERS } from "./setting-members.ts";

export { ACCESS_TOKEN_LIFETIME_SECONDS_MAX } from "./setting-members.ts";

/** An instance's settings. What is stored may lack some of them; reading gives all of them. */
export const settingsSchema = v.object(schemasOf(SETTING_MEMBERS));

export type Settings = v.InferOutput<typeof settingsSchema>;

const claimName = v.pipe(v.string(), v.maxLength(200));

/** The instance's registration as a client of one of its organisation's SSOs. The secret is sealed for {@link singleSignOnPurpose}. */
export const singleSignOnSchema = v.object({
  issuer: v.pipe(v.string(), v.url(), v.maxLength(500)),
  clientId: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
  sealedClientSecret: v.string(),
  scopes: v.pipe(v.string(), v.maxLength(1000)),
  groupsClaim: claimName,
  emailClaim: claimName,
  /** Who says that an email belongs to its holder: its `email_verified`, or the administrator, about every email of this SSO. */
  emailVouchedBy: v.optional(v.picklist(["token", "administrator"])),
  /** Claims that must have exactly these values, if an issuer serves more than this organisation. */
  requiredClaims: v.pipe(v.record(claimName, v.pipe(v.string(), v.maxLength(500))), v.maxEntries(20)),
  /** How the SSO expects its client secret; if absent, as its metadata says. */
  clientAuthentication: v.optional(v.picklist(["client_secret_basic", "client_secret_post"])),
  /** What its button says, if there are several SSOs. */
  label: v.optional(shownName(60)),
  /** The email domains of the people who may sign in with it; if absent or empty, of any. */
  emailDomains: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(255))), v.maxLength(100))),
  /** Whether its groups are the directory's groups; if false, they have its issuer in their names. */
  groupsMeetDirectory: v.optional(v.boolean()),
  /** Its number at the instance, which its redirect URI ends with; 1 if absent. */
  number: v.optional(v.pipe(v.number(), v.integer(), v.minValue(2))),
});

export type SingleSignOn = v.InferOutput<typeof singleSignOnSchema>;

/** Returns the purpose that an SSO client secret is sealed for. Moved to another instance's row, the secret cannot be opened. */
export function singleSignOnPurpose(instanceName: string): SealPurpose {
  return `single-sign-on:${instanceName}`;
}

/** Reads the stored registrations, one for each SSO. */
export function parseSingleSignOns(stored: string | null): readonly SingleSignOn[] {
  return v.parse(v.array(singleSignOnSchema), JSON.parse(stored ?? "[]"));
}

/** Reads stored settings. Settings that are absent get their defaults. */
export function parseSettings(stored: unknown): Settings {
  return v.parse(settingsSchema, stored);
}
