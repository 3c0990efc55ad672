import { KEPT_SECONDS_DEFAULT, KEPT_SECONDS_LEAST } from "#audit/kept-seconds.ts";
import { type Language, LANGUAGES, USUAL_LANGUAGES } from "#documents/languages.ts";
import { isSafeUrl } from "#issuers/safe-issuer.ts";
import { type FormField, type Members, type Option, valuesOf, type Words } from "#platform/described-members.ts";
import { shownName } from "#platform/members.ts";
import { APP_REQUIREMENTS } from "#protocol/app-requirements.ts";
import { parseEmailAddress } from "#protocol/email-address.ts";
import { SCOPES, USUAL_SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 24 * HOUR;

/** The longest that any access token can live, whatever the setting was when it was issued. */
export const ACCESS_TOKEN_LIFETIME_SECONDS_MAX = DAY;

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  nl: "Dutch",
  en: "English",
  fr: "French",
  de: "German",
  it: "Italian",
  pt: "Portuguese",
  es: "Spanish",
};

const POLICIES = [
  {
    value: "open",
    label: "Any app",
    hint: "Every app can connect. People see that it is not verified, and are always asked.",
  },
  {
    value: "approved",
    label: "Apps with an approved address",
    hint: "Only apps that are approved below, by name or redirect URI, can connect. Apps that are already registered stay.",
  },
  {
    value: "approval",
    label: "Any app, after you approve it",
    hint: "People can use an app only after an administrator has approved it here. Apps that are already registered stay.",
  },
  {
    value: "off",
    label: "No app",
    hint: "People can sign in only with apps that an administrator created or approved, under Apps. Existing grants work until they end.",
  },
] as const satisfies readonly Option[];

/** An instance's settings, with their defaults, their safe limits and their fields. {@link SETTING_WORDS} says what each is. */
export const SETTING_MEMBERS = {
  displayName: {
    schema: v.optional(shownName(80)),
    field: { as: "line", label: "Name", maxlength: 80 },
  },
  /** The logo itself is in its own table. */
  logo: { schema: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/))) },
  supportContact: {
    schema: v.optional(
      v.pipe(v.string(), v.maxLength(200), v.check(isSupportContact, "write an email address or an https URL")),
    ),
    field: {
      as: "line",
      label: "Support contact",
      maxlength: 200,
      hint: "An email address or an https address. Error pages show it with the request id.",
    },
  },
  oauthEnabled: { schema: v.optional(v.boolean(), false) },
  externalTokensEnabled: { schema: v.optional(v.boolean(), true) },
  registration: {
    schema: v.optional(v.picklist(valuesOf(POLICIES)), "open"),
    field: { as: "radio", label: "Apps that no administrator created", options: POLICIES, isRequired: true },
  },
  approvedRedirectUris: {
    schema: v.optional(v.array(v.pipe(v.string(), v.maxLength(500))), []),
    field: {
      as: "lines",
      label: "Approved addresses",
      placeholder: "https://app.example.com/oauth/*",
      hint: "Redirect URIs, one per line. * matches anything within one segment of the path, never a host.",
    },
  },
  clientIdMetadataDocuments: {
    schema: v.optional(v.boolean(), true),
    field: {
      as: "switch",
      label: "Accept apps with a client metadata document",
      hint: "Such an app doesn’t register: its client id is the URL of a document about it. The rule above applies to it too.",
    },
  },
  /** Never all (docs/decisions/0036-apps-nobody-created.md). The person still decides. */
  dynamicScopes: {
    schema: v.optional(v.pipe(v.array(v.picklist(SCOPES)), v.maxLength(SCOPES.length)), [...USUAL_SCOPES]),
    field: {
      as: "checkboxes",
      label: "Scopes",
      hint: "For all apps that no administrator created: never all scopes. Removing a scope also removes it from connected apps.",
    },
  },
  identityHosts: {
    schema: v.optional(v.pipe(v.array(v.pipe(v.string(), v.maxLength(50))), v.maxLength(50)), []),
    field: {
      as: "checkboxes",
      label: "Apps that may also ask who people are",
      hint: "These apps can also have “Identify the person” and “Name and email” if their maker’s web address shows who they are. Connected apps have to connect again.",
    },
  },
  searchLanguages: {
    schema: v.optional(
      v.pipe(v.array(v.picklist(LANGUAGES)), v.minLength(1, "choose at least one"), v.maxLength(LANGUAGES.length)),
      [...USUAL_LANGUAGES],
    ),
    field: {
      as: "checkboxes",
      label: "Languages of documents",
      options: Object.entries(LANGUAGE_NAMES).map(([value, label]) => ({ value, label })),
      hint: "In these languages, search also finds other forms of a word: “rotates” for “rotation”. Exact words are found in every language.",
    },
  },
  searchPrefersRecent: {
    schema: v.optional(v.boolean(), false),
    field: {
      as: "switch",
      label: "Prefer recently updated documents",
      hint: "Only among documents that match about equally well.",
    },
  },
  searchUsesCommonTerms: {
    schema: v.optional(v.boolean(), true),
    field: {
      as: "switch",
      label: "Know common abbreviations",
      hint: "Such as k8s for Kubernetes, db for database and PTO for paid time off. Your glossary comes first.",
    },
  },
  auditKeptSeconds: duration([KEPT_SECONDS_LEAST, 10 * 365 * DAY], KEPT_SECONDS_DEFAULT, {
    unitSeconds: DAY,
    label: "Keep audit entries, days",
    hint: "30 to 3,650. Older entries are removed permanently: export them first if you need them.",
  }),
  auditReceiver: {
    schema: v.optional(
      v.pipe(
        v.string(),
        v.maxLength(500),
        v.check((url) => url.startsWith("https://") && isSafeUrl(url), "write an https URL"),
      ),
    ),
    field: {
      as: "line",
      label: "Receiver",
      type: "url",
      maxlength: 500,
      placeholder: "https://collector.example.com/gatehouse",
      hint: "An https URL of your SIEM or log collector. If empty, nothing is sent.",
    },
  },
  alertReceiver: {
    schema: v.optional(
      v.pipe(v.string(), v.maxLength(500), v.check(isSupportContact, "write an https URL or an email address")),
    ),
    field: {
      as: "line",
      label: "Alerts for administrators",
      maxlength: 500,
      placeholder: "https://hooks.example.com/gatehouse",
      hint: "An https URL, which gets JSON, or an email address if the deployment can send email. It is told once about apps that wait, stopped uploads, tokens that expire, a failing single sign-on, rising refusals and a damaged audit log; and within an hour that it works.",
    },
  },
  stepUp: { schema: v.optional(v.boolean(), true) },
  /** If there are none, `acr` is not checked. */
  stepUpAcrValues: {
    schema: v.optional(v.pipe(v.array(v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/))), v.maxLength(10)), []),
  },
  provisionedGroups: { schema: v.optional(v.picklist(["directory", "sign-in", "both"]), "directory") },
  /** Beyond OAuth 2.1; more may be required of a single app. */
  appRequirements: {
    schema: v.optional(v.pipe(v.array(v.picklist(APP_REQUIREMENTS)), v.maxLength(APP_REQUIREMENTS.length)), []),
    field: {
      as: "checkboxes",
      label: "Requirements for all apps",
      hint: "Few apps support these. Others are refused within 10 seconds, even if they are connected.",
    },
  },
  /** So that no proof can be made in advance (docs/decisions/0030-bound-tokens.md). */
  dpopNonceRequired: { schema: v.optional(v.boolean(), true) },
  accessTokenLifetimeSeconds: duration([60, ACCESS_TOKEN_LIFETIME_SECONDS_MAX], HOUR, {
    unitSeconds: MINUTE,
    label: "Access token, minutes",
    hint: "1 to 1,440 (a day). Apps with a refresh token renew it automatically.",
  }),
  grantIdleSeconds: duration([HOUR, 90 * DAY], 30 * DAY, {
    unitSeconds: DAY,
    label: "Unused access ends after, days",
    hint: "An app that isn’t used for this long must ask the person again. An hour (0.05) to 90 days.",
  }),
  /** See docs/decisions/0012-repeated-refreshes.md. */
  refreshRepeatSeconds: duration([30, HOUR], 600, {
    unitSeconds: MINUTE,
    label: "Reuse of the previous refresh token, minutes",
    hint: "How long an app’s other windows and processes may reuse the previous refresh token. After this, a reuse ends the grant. 0.5 to 60.",
  }),
  grantLifetimeSeconds: duration([HOUR, 365 * DAY], 180 * DAY, {
    unitSeconds: DAY,
    label: "Any access ends after, days",
    hint: "After this, every app must ask again, however often it is used. An hour (0.05) to 365 days.",
  }),
} satisfies Members;

/** What the API's description says about each setting. A constant of its own, because the Worker serves that text from a file. */
export const SETTING_WORDS: Readonly<Record<keyof typeof SETTING_MEMBERS, Words>> = {
  displayName: ["The organisation's name on pages; if absent, the instance's own name is shown", "Acme"],
  logo: ["Hash of the logo", "q1B…"],
  supportContact: ["Contact shown to people on error pages: an email address or an https URL", "help@example.com"],
  oauthEnabled: ["Whether the authorization server is on"],
  externalTokensEnabled: ["Whether the Client API accepts tokens from identity providers"],
  registration: ["Which apps are accepted that no administrator created, whether they register or have a document"],
  approvedRedirectUris: ["Approved patterns and presets of redirect URIs, for the policy `approved`", ["claude"]],
  clientIdMetadataDocuments: ["Whether client metadata documents are accepted, unless `registration` is `off`"],
  dynamicScopes: ["Scopes available to apps that an administrator did not create: never all", ["SEARCH"]],
  identityHosts: ["Known apps, by name, that may also have the scopes `openid` and `email`", ["chatgpt"]],
  searchLanguages: ["Languages in which search finds other forms of a word", ["en"]],
  searchPrefersRecent: ["Whether recently updated documents rank higher among similar matches"],
  searchUsesCommonTerms: ["Whether search knows abbreviations that everybody uses, such as k8s for Kubernetes"],
  auditKeptSeconds: ["How long audit entries are kept, in seconds", 31_536_000],
  auditReceiver: ["Where audit entries are sent as OCSF events", "https://collector.example.com/gatehouse"],
  alertReceiver: ["Who is told what needs attention: an https URL or an email address", "ops@example.com"],
  stepUp: ["Whether sensitive changes in the console need a fresh sign-in"],
  stepUpAcrValues: ["Values of `acr` accepted from the SSO for that sign-in", ["phr"]],
  provisionedGroups: ["Which groups count for people from a directory (SCIM)"],
  appRequirements: ["What all apps must do: push requests, bind tokens to a key, authenticate with a key", ["par"]],
  dpopNonceRequired: ["Whether DPoP proofs need a nonce from this server"],
  accessTokenLifetimeSeconds: ["Lifetime of access tokens, in seconds", 3600],
  refreshRepeatSeconds: ["How long a repeated refresh gets the same response, in seconds", 600],
  grantIdleSeconds: ["How long a grant stays active without a refresh, in seconds", 2_592_000],
  grantLifetimeSeconds: ["Lifetime of a grant, in seconds", 15_552_000],
};

/** Makes a duration, which is stored in seconds. */
function duration<const Usual extends number>(
  [least, most]: readonly [least: number, most: number],
  usual: Usual,
  field: { readonly unitSeconds: number; readonly label: string; readonly hint: string },
) {
  const schema = v.optional(v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most)), usual);
  return { schema, field: { as: "duration", limits: [least, most], ...field } satisfies FormField as FormField };
}

/** Checks whether a text is a support contact or a receiver of alerts: an email address, or a page that browsers open safely. */
function isSupportContact(text: string): boolean {
  if (text.startsWith("https://")) return isSafeUrl(text);
  // Characters that a mail program would read as more than an address are refused.
  return parseEmailAddress(text) !== undefined && !/[?&%:/]/.test(text);
}
