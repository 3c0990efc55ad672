import { ROUTE_SCOPES } from "#resource-server/authorization/route-scopes.ts";
import { timesFact } from "./explained-external.ts";
import { capital, claim, type Facts, list, said } from "./explained-facts.ts";
import type { Check } from "./explained-steps.ts";

/** What the gate asks of an access token of this service's own authorization server, in its order. */
export const OWN_CHECKS: readonly Check[] = [
  {
    title: "Form",
    reasons: [],
    fact: ({ origin }) => `It is a signed JWT, and its iss is this service’s own, ${origin}.`,
  },
  {
    title: "OAuth for apps",
    reasons: ["oauth_not_enabled"],
    fact: ({ policy }) => `It is ${policy.settings.oauthEnabled ? "on" : "off"}.`,
  },
  {
    title: "Key",
    reasons: ["token_key_unknown"],
    fact: ({ jwt, policy }) =>
      `The header’s kid says ${said(jwt?.header["kid"])}; keys that this instance publishes: ${policy.publishedKeys.size}.`,
  },
  {
    title: "Type",
    reasons: ["token_type_wrong"],
    fact: ({ jwt }) => `The header’s typ says ${said(jwt?.header["typ"])}; it must be at+jwt.`,
  },
  {
    title: "Signature",
    reasons: ["token_signature_wrong"],
    fact: () => "It is held against that key alone; a token that was changed or cut fails.",
  },
  {
    title: "Audience",
    reasons: ["token_issuer_wrong", "token_audience_wrong"],
    fact: (facts) => `${capital(claim(facts, "aud"))}; it must be a resource of ${facts.origin}.`,
  },
  {
    title: "Times",
    reasons: [
      "token_expiry_missing",
      "token_claims_missing",
      "token_issue_time_missing",
      "token_not_yet_valid",
      "token_expired",
    ],
    fact: timesFact,
  },
  {
    title: "Standing",
    reasons: ["token_key_retired", "grant_revoked", "client_disabled", "person_deactivated"],
    fact: (facts) =>
      `${capital(claim(facts, "sub"))}; the app is ${said(facts.jwt?.payload["client_id"])}. Revoked access, a disabled app, a deactivated person and a withdrawn key end a token.`,
  },
  {
    title: "Scope of the call",
    reasons: ["token_of_another_resource", "scope_missing"],
    fact: (facts) =>
      `${facts.route} needs ${ROUTE_SCOPES[facts.route]}; ${claim(facts, "scope")}, as far as its app still holds it.`,
  },
];

/** What the gate asks of everything else, in its order: it can only be a token that an administrator made. */
export const SERVICE_CHECKS: readonly Check[] = [
  {
    title: "Form",
    reasons: [
      "authorization_header_malformed",
      "external_token_not_a_jwt",
      "external_token_not_announced",
      "token_of_another_instance",
      "service_token_malformed",
    ],
    fact: formFact,
  },
  {
    title: "Kind of token",
    reasons: ["service_token_wrong_kind"],
    fact: () => "The Client API takes tokens that begin with ghc_; those of the Indexing API begin with ghi_.",
  },
  {
    title: "Known here",
    reasons: ["service_token_unknown"],
    fact: () => "It is looked for by its hash among the tokens that administrators of this instance made.",
  },
  {
    title: "Standing",
    reasons: ["service_token_revoked", "service_token_expired", "service_token_replaced"],
    fact: () => "Expiry, revocation, a rotation and the person’s deactivation end a token.",
  },
  {
    title: "Network",
    reasons: ["service_token_outside_networks"],
    fact: ({ address }) => `It is tried from the address that you come from${address === "" ? "" : `, ${address}`}.`,
  },
  {
    title: "Scope of the call",
    reasons: ["scope_missing"],
    fact: ({ caller, route }) =>
      `${route} needs ${ROUTE_SCOPES[route]}${caller ? `; this token has ${list([...caller.scopes], "none")}` : ""}.`,
  },
];

function formFact({ announcedAsExternal, authTypeHeader, jwt, looksLikeJwt, looksServiceIssued }: Facts): string {
  const header = `The header ${authTypeHeader}: OAUTH is ${announcedAsExternal ? "sent" : "not sent"}.`;
  if (looksServiceIssued) return `It has the form of a token that this service issued. ${header}`;
  if (jwt) return `It is a signed JWT of another issuer. ${header}`;
  if (looksLikeJwt) {
    return `It looks like a JWT and is none: cut off, changed, or longer than any that is taken. ${header}`;
  }
  return `It is no JWT: opaque, encrypted or torn. ${header}`;
}
