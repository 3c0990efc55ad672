import type { SealPurpose } from "#crypto/key-purposes.ts";
import { LANGUAGES, USUAL_LANGUAGES } from "#documents/languages.ts";
import { hidesCharacters } from "#protocol/display-name.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { APP_REQUIREMENTS } from "#protocol/app-requirements.ts";
import { SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";
import { isSafeUrl } from "#issuers/safe-issuer.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

/** A name that pages show: what nobody sees would hide or turn the text around it. */
function shownName(most: number) {
  const isSeen = (name: string) => !hidesCharacters(name);
  return v.pipe(v.string(), v.minLength(1), v.maxLength(most), v.check(isSeen, "leave out invisible characters"));
}

function seconds(least: number, most: number) {
  return v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
}

/**
 * An instance's settings, with their defaults and safe bounds. What is stored is a part of this; what is read is all of it.
 */
export const settingsSchema = v.object({
  /** What people see on pages; the instance's own name where it is not set. */
  displayName: v.optional(shownName(80)),
  /** The hash of the logo on pages; the logo itself is in a table of its own. */
  logo: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/))),
  /** The support contact on pages: an email address or an https URL. */
  supportContact: v.optional(
    v.pipe(v.string(), v.maxLength(200), v.check(isSupportContact, "write an email address or an https URL")),
  ),
  /** Off until an administrator decides otherwise. */
  oauthEnabled: v.optional(v.boolean(), false),
  /** Whether the Client API takes the tokens of registered identity providers. */
  externalTokensEnabled: v.optional(v.boolean(), true),
  /** Who may register without an administrator. */
  registration: v.optional(v.picklist(["open", "approved", "approval", "off"]), "open"),
  /** Where only approved applications may register: redirect URI patterns, or the names of hosts. */
  approvedRedirectUris: v.optional(v.array(v.pipe(v.string(), v.maxLength(500))), []),
  /** Whether a client may be described by the document at its id instead of registering. */
  clientIdMetadataDocuments: v.optional(v.boolean(), true),
  /** What a client that no administrator made may ask for; the person still decides (docs/decisions/0016-mcp-endpoint.md). */
  dynamicScopes: v.optional(v.pipe(v.array(v.picklist(SCOPES)), v.maxLength(SCOPES.length)), [...SCOPES]),
  /** The languages whose forms of words a search puts together: "rotates" and "rotation". */
  searchLanguages: v.optional(
    v.pipe(v.array(v.picklist(LANGUAGES)), v.minLength(1, "choose at least one"), v.maxLength(LANGUAGES.length)),
    [...USUAL_LANGUAGES],
  ),
  /** Whether documents that were updated lately come first among those that match alike. */
  searchPrefersRecent: v.optional(v.boolean(), false),
  /** How long the audit keeps an entry; a year where nothing else is asked for. */
  auditKeptSeconds: v.optional(seconds(30 * DAY, 10 * 365 * DAY), 365 * DAY),
  /** Where sealed audit entries are sent as OCSF events: an https URL (docs/audit.md). */
  auditReceiver: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(500),
      v.check((url) => url.startsWith("https://") && isSafeUrl(url), "write an https URL"),
    ),
  ),
  /** Whether the console asks administrators to sign in again before decisions that cannot be undone. */
  stepUp: v.optional(v.boolean(), true),
  /** What the SSO's `acr` has to be at such a sign-in: any of these; where there is none, it is not looked at. */
  stepUpAcrValues: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/))), v.maxLength(10)),
    [],
  ),
  /** The groups that count for provisioned people: the directory's, those of the last sign-in, or both. */
  provisionedGroups: v.optional(v.picklist(["directory", "sign-in", "both"]), "directory"),
  /** What all apps have to do beyond OAuth 2.1; an app of its own may have to do more. */
  appRequirements: v.optional(v.pipe(v.array(v.picklist(APP_REQUIREMENTS)), v.maxLength(APP_REQUIREMENTS.length)), []),
  /** Whether DPoP proofs need a nonce of ours, so that none can be made for later (docs/decisions/0030-bound-tokens.md). */
  dpopNonceRequired: v.optional(v.boolean(), true),
  accessTokenLifetimeSeconds: v.optional(seconds(60, DAY), HOUR),
  /** How long a grant may go without a refresh. */
  grantIdleSeconds: v.optional(seconds(HOUR, 90 * DAY), 30 * DAY),
  /** How long a repeated refresh gets the same successor (docs/decisions/0012-repeated-refreshes.md). */
  refreshRepeatSeconds: v.optional(seconds(30, HOUR), 600),
  /** How long a grant lives, however often it is refreshed. */
  grantLifetimeSeconds: v.optional(seconds(HOUR, 365 * DAY), 180 * DAY),
});

export type Settings = v.InferOutput<typeof settingsSchema>;

/** The longest that any access token can live, whatever the setting was when it was issued. */
export const ACCESS_TOKEN_LIFETIME_SECONDS_MAX = DAY;

const claimName = v.pipe(v.string(), v.maxLength(200));

/** How an instance is a client of its organisation's SSO. The secret is sealed; {@link singleSignOnPurpose} opens it. */
export const singleSignOnSchema = v.object({
  issuer: v.pipe(v.string(), v.url(), v.maxLength(500)),
  clientId: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
  sealedClientSecret: v.string(),
  scopes: v.pipe(v.string(), v.maxLength(1000)),
  /** The claim that lists a person's groups. */
  groupsClaim: claimName,
  /** The claim that holds a person's email address. */
  emailClaim: claimName,
  /** Who says that an email is its holder's: its `email_verified`, or the administrator, of every email of this SSO. */
  emailVouchedBy: v.optional(v.picklist(["token", "administrator"])),
  /** Claims that must have exactly these values, where an issuer serves more than this organisation. */
  requiredClaims: v.pipe(v.record(claimName, v.pipe(v.string(), v.maxLength(500))), v.maxEntries(20)),
  /** How the SSO wants its client secret; what its metadata says where this is absent. */
  clientAuthentication: v.optional(v.picklist(["client_secret_basic", "client_secret_post"])),
});

export type SingleSignOn = v.InferOutput<typeof singleSignOnSchema>;

/** What a sealed SSO client secret is bound to: moved to another instance's row, it does not open. */
export function singleSignOnPurpose(instanceName: string): SealPurpose {
  return `single-sign-on:${instanceName}`;
}

/** Whether a text is a support contact: an email address, or a page that browsers open safely. */
function isSupportContact(text: string): boolean {
  if (text.startsWith("https://")) return isSafeUrl(text);
  // What a mail program would read as more than an address has no business in one.
  return parseEmailAddress(text) !== undefined && !/[?&%:/]/.test(text);
}

/** Reads a stored connection to the SSO. */
export function parseSingleSignOn(stored: unknown): SingleSignOn {
  return v.parse(singleSignOnSchema, stored);
}

/** Reads stored settings; what is absent gets its default. */
export function parseSettings(stored: unknown): Settings {
  return v.parse(settingsSchema, stored);
}
