import { KEPT_SECONDS_DEFAULT, KEPT_SECONDS_LEAST } from "#audit/kept-seconds.ts";
import type { SealPurpose } from "#crypto/key-purposes.ts";
import { LANGUAGES, USUAL_LANGUAGES } from "#documents/languages.ts";
import { hidesCharacters } from "#protocol/display-name.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { APP_REQUIREMENTS } from "#protocol/app-requirements.ts";
import { SCOPES, USUAL_SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";
import { isSafeUrl } from "#issuers/safe-issuer.ts";

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Makes the schema of a name that pages show. Invisible characters are refused, because they would hide or turn the text around them. */
function shownName(most: number) {
  const isSeen = (name: string) => !hidesCharacters(name);
  return v.pipe(v.string(), v.minLength(1), v.maxLength(most), v.check(isSeen, "leave out invisible characters"));
}

/** The shortest and the longest value of each duration, in seconds. */
export const DURATION_LIMITS = {
  auditKeptSeconds: [KEPT_SECONDS_LEAST, 10 * 365 * DAY],
  accessTokenLifetimeSeconds: [60, DAY],
  grantIdleSeconds: [HOUR, 90 * DAY],
  refreshRepeatSeconds: [30, HOUR],
  grantLifetimeSeconds: [HOUR, 365 * DAY],
} as const;

export type DurationName = keyof typeof DURATION_LIMITS;

function duration(name: DurationName) {
  const [least, most] = DURATION_LIMITS[name];
  return v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));
}

/** An instance's settings, with their defaults and safe limits. What is stored may lack some of them; reading gives all of them. */
export const settingsSchema = v.object({
  /** The organisation's name on pages; if it is not set, the instance's own name is shown. */
  displayName: v.optional(shownName(80)),
  /** The hash of the logo on pages; the logo itself is in its own table. */
  logo: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/))),
  /** The support contact on pages: an email address or an https URL. */
  supportContact: v.optional(
    v.pipe(v.string(), v.maxLength(200), v.check(isSupportContact, "write an email address or an https URL")),
  ),
  /** Off until an administrator turns it on. */
  oauthEnabled: v.optional(v.boolean(), false),
  /** Whether the Client API accepts the tokens of registered identity providers. */
  externalTokensEnabled: v.optional(v.boolean(), true),
  /** Which apps are accepted that no administrator created, whether they register or are described by a document. */
  registration: v.optional(v.picklist(["open", "approved", "approval", "off"]), "open"),
  /** If only approved applications are accepted: redirect URI patterns, or the names of hosts. */
  approvedRedirectUris: v.optional(v.array(v.pipe(v.string(), v.maxLength(500))), []),
  /** Whether a client may be described by the document at its id instead of registering, as far as `registration` accepts it. */
  clientIdMetadataDocuments: v.optional(v.boolean(), true),
  /**
   * The scopes that a client may ask for if no administrator created it: never all (docs/decisions/0036-apps-nobody-created.md). The
   * person still decides.
   */
  dynamicScopes: v.optional(v.pipe(v.array(v.picklist(SCOPES)), v.maxLength(SCOPES.length)), [...USUAL_SCOPES]),
  /** The known hosts, by id, whose apps may also ask who the person is: `openid` and `email`. */
  identityHosts: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(50))), v.maxLength(50)), []),
  /** The languages whose word forms count as the same word in a search: "rotates" and "rotation". */
  searchLanguages: v.optional(
    v.pipe(v.array(v.picklist(LANGUAGES)), v.minLength(1, "choose at least one"), v.maxLength(LANGUAGES.length)),
    [...USUAL_LANGUAGES],
  ),
  /** Whether recently updated documents come first among documents that match equally well. */
  searchPrefersRecent: v.optional(v.boolean(), false),
  /** How long the audit keeps an entry: a year by default. */
  auditKeptSeconds: v.optional(duration("auditKeptSeconds"), KEPT_SECONDS_DEFAULT),
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
  /** The values of which the SSO's `acr` must be one at such a sign-in; if there are none, it is not checked. */
  stepUpAcrValues: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/))), v.maxLength(10)),
    [],
  ),
  /** The groups that count for provisioned people: the directory's, those of the last sign-in, or both. */
  provisionedGroups: v.optional(v.picklist(["directory", "sign-in", "both"]), "directory"),
  /** What all apps are required to do beyond OAuth 2.1; more may be required of a single app. */
  appRequirements: v.optional(v.pipe(v.array(v.picklist(APP_REQUIREMENTS)), v.maxLength(APP_REQUIREMENTS.length)), []),
  /** Whether DPoP proofs need a nonce of ours, so that none can be made in advance (docs/decisions/0030-bound-tokens.md). */
  dpopNonceRequired: v.optional(v.boolean(), true),
  accessTokenLifetimeSeconds: v.optional(duration("accessTokenLifetimeSeconds"), HOUR),
  /** How long a grant may go without a refresh. */
  grantIdleSeconds: v.optional(duration("grantIdleSeconds"), 30 * DAY),
  /** How long a repeated refresh gets the same successor (docs/decisions/0012-repeated-refreshes.md). */
  refreshRepeatSeconds: v.optional(duration("refreshRepeatSeconds"), 600),
  /** How long a grant lives, however often it is refreshed. */
  grantLifetimeSeconds: v.optional(duration("grantLifetimeSeconds"), 180 * DAY),
});

export type Settings = v.InferOutput<typeof settingsSchema>;

/** The longest that any access token can live, whatever the setting was when it was issued. */
export const ACCESS_TOKEN_LIFETIME_SECONDS_MAX = DAY;

const claimName = v.pipe(v.string(), v.maxLength(200));

/** The instance's registration as a client of its organisation's SSO. The secret is sealed for {@link singleSignOnPurpose}. */
export const singleSignOnSchema = v.object({
  issuer: v.pipe(v.string(), v.url(), v.maxLength(500)),
  clientId: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
  sealedClientSecret: v.string(),
  scopes: v.pipe(v.string(), v.maxLength(1000)),
  /** The claim that lists a person's groups. */
  groupsClaim: claimName,
  /** The claim that holds a person's email address. */
  emailClaim: claimName,
  /** Who says that an email belongs to its holder: its `email_verified`, or the administrator, about every email of this SSO. */
  emailVouchedBy: v.optional(v.picklist(["token", "administrator"])),
  /** Claims that must have exactly these values, if an issuer serves more than this organisation. */
  requiredClaims: v.pipe(v.record(claimName, v.pipe(v.string(), v.maxLength(500))), v.maxEntries(20)),
  /** How the SSO expects its client secret; if absent, as its metadata says. */
  clientAuthentication: v.optional(v.picklist(["client_secret_basic", "client_secret_post"])),
});

export type SingleSignOn = v.InferOutput<typeof singleSignOnSchema>;

/** Returns the purpose that an SSO client secret is sealed for. Moved to another instance's row, the secret cannot be opened. */
export function singleSignOnPurpose(instanceName: string): SealPurpose {
  return `single-sign-on:${instanceName}`;
}

/** Checks whether a text is a support contact: an email address, or a page that browsers open safely. */
function isSupportContact(text: string): boolean {
  if (text.startsWith("https://")) return isSafeUrl(text);
  // Characters that a mail program would read as more than an address are refused.
  return parseEmailAddress(text) !== undefined && !/[?&%:/]/.test(text);
}

/** Reads the stored registration at the SSO. */
export function parseSingleSignOn(stored: unknown): SingleSignOn {
  return v.parse(singleSignOnSchema, stored);
}

/** Reads stored settings. Settings that are absent get their defaults. */
export function parseSettings(stored: unknown): Settings {
  return v.parse(settingsSchema, stored);
}
