import type { Members, Words } from "#platform/described-members.ts";
import { APP_REQUIREMENTS } from "#protocol/app-requirements.ts";
import { SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";

/** Public keys, or their URL. `client-keys.ts` reads what a form has for them. */
export const publicKeys = v.union([
  v.object({ jwksUri: v.string() }),
  v.object({ jwks: v.array(v.objectWithRest({ kty: v.string() }, v.unknown())) }),
]);

/** What administrators decide about an app. `client-description.ts` has the rules. */
export const APP_MEMBERS = {
  name: {
    schema: v.string(),
    field: {
      as: "line",
      label: "Name",
      required: true,
      maxlength: 100,
      hint: "People see it when the app asks for access.",
    },
  },
  redirectUris: {
    schema: v.array(v.string()),
    field: {
      as: "lines",
      label: "Redirect URIs",
      placeholder: "https://app.example.com/callback",
      hint: "One per line, from the app’s documentation. Use https or the app’s own scheme; http only for this computer (http://127.0.0.1/callback), where every port matches.",
    },
  },
  scopes: {
    schema: v.array(v.picklist(SCOPES, `a scope is one of ${SCOPES.join(", ")}`)),
    field: { as: "checkboxes", label: "What it may do" },
  },
  keys: {
    schema: publicKeys,
    field: {
      as: "lines",
      label: "Public keys",
      placeholder: "https://app.example.com/jwks.json",
      hint: "The https address of its JWK Set, or the set itself: ES256, PS256 or RS256, up to four keys.",
    },
  },
  requirements: {
    schema: v.array(v.picklist(APP_REQUIREMENTS, `a requirement is one of ${APP_REQUIREMENTS.join(", ")}`)),
    field: { as: "checkboxes", label: "Requirements" },
  },
  mayExchangeTokens: {
    schema: v.boolean(),
    field: {
      as: "switch",
      label: "May act with other apps’ access",
      hint: "It can exchange an access token that another app sends it, and then search as that person (RFC 8693). Only for a confidential app that you trust with everybody’s tokens.",
    },
  },
} satisfies Members;

/** What the API's description says about each member. */
export const APP_WORDS: Readonly<Record<keyof typeof APP_MEMBERS, Words>> = {
  name: ["The name that people see", "Intranet"],
  redirectUris: ["Redirect URIs of the app", ["https://app.example.com/callback"]],
  scopes: ["Allowed scopes", ["SEARCH"]],
  requirements: ["What administrators require of the app, in addition to what they require of all apps", ["dpop"]],
  keys: ["The app's public keys, or their URL"],
  mayExchangeTokens: ["Whether the app may exchange access tokens of other apps for its own (RFC 8693)", false],
};
