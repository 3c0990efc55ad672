import { type Member, type Option, valuesOf, type Words } from "#platform/described-members.ts";
import { shownName } from "#platform/members.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";

/** Only asymmetric signatures: with a shared secret, a verifier could also sign (RFC 8725 §3.1). */
export const EXTERNAL_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

/**
 * What is accepted. Identity assertions let an app act for a person without a consent page, so they are accepted only if an
 * administrator chooses that.
 */
const ACCEPTS = [
  { value: "access-tokens", label: "Access tokens" },
  { value: "id-jags", label: "Identity assertions (ID-JAG)" },
  { value: "both", label: "Both" },
] as const satisfies readonly Option[];

const PERSON_BY = [
  { value: "email", label: "Their email address" },
  { value: "subject", label: "Their subject, if the same issuer is your single sign-on" },
] as const satisfies readonly Option[];

/** With an address that people there can choose, they could read others' documents (nOAuth). */
const VOUCHING = [
  {
    value: "token",
    label: "The token",
    hint: "With the claim below, which must be true. Tokens without it are refused.",
  },
  {
    value: "administrator",
    label: "I vouch for every address of this provider",
    hint: "Only if nobody there, including guests, can set an address that they don’t own. Whoever sets another person’s address could read that person’s documents.",
  },
] as const satisfies readonly Option[];

const claimName = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const value = v.pipe(v.string(), v.minLength(1), v.maxLength(500));

/** The text of a refusal: what a member has to be. */
interface IssuerMember extends Member {
  readonly expected: string;
}

/** The members of an identity provider's configuration. {@link ISSUER_WORDS} says what each is. */
export const ISSUER_MEMBERS = {
  /** Compared byte for byte. */
  issuer: {
    schema: v.pipe(v.string(), v.url(), v.maxLength(500)),
    expected: "The issuer must be an https URL, exactly as in its tokens",
    field: {
      as: "line",
      label: "Issuer",
      required: true,
      placeholder: "https://idp.example.com",
      hint: "The iss of its tokens, exactly as written there, including any trailing slash.",
    },
  },
  name: {
    schema: shownName(80),
    expected: "The name must have 1 to 80 characters, none of them invisible",
    field: { as: "line", label: "Name", maxlength: 80, hint: "Shown to administrators." },
  },
  accepts: {
    schema: v.optional(v.picklist(valuesOf(ACCEPTS)), "access-tokens"),
    expected: `What is accepted must be ${valuesOf(ACCEPTS).join(", ")}`,
    field: {
      as: "select",
      label: "Accept",
      options: ACCEPTS,
      hint: "With an identity assertion (enterprise-managed authorization), an app connects for a person without a consent page.",
    },
  },
  clientIds: {
    schema: v.pipe(v.array(value), v.minLength(1), v.maxLength(100)),
    expected: "Enter 1 to 100 client ids whose tokens are accepted",
    field: {
      as: "lines",
      label: "Client ids",
      hint: "The applications whose tokens are accepted, one per line. For identity assertions: their client ids here, such as https://claude.ai/oauth/mcp-oauth-client-metadata.",
    },
  },
  clientIdClaim: {
    schema: v.optional(claimName),
    expected: "The claim for the client id must be the name of one claim",
    field: {
      as: "line",
      label: "Claim that identifies the application",
      hint: "If empty, the first of azp, appid, cid, client_id and aud that the token has.",
    },
  },
  audiences: {
    schema: v.optional(v.pipe(v.array(value), v.maxLength(20)), []),
    expected: "At most 20 audiences, none of them empty",
    field: {
      as: "lines",
      label: "Audiences",
      rows: 2,
      hint: "Accepted audiences (aud), one per line; a token needs one of them. If empty, tokens that an application got for another service are accepted too, and that service could use them here.",
    },
  },
  algorithms: {
    schema: v.optional(
      v.pipe(v.array(v.picklist(EXTERNAL_ALGORITHMS)), v.minLength(1), v.maxLength(EXTERNAL_ALGORITHMS.length)),
      ["RS256"],
    ),
    expected: `A signature is made with ${EXTERNAL_ALGORITHMS.join(", ")}: none and shared secrets would let others sign tokens`,
    field: {
      as: "checkboxes",
      label: "Signature algorithms",
      options: EXTERNAL_ALGORITHMS.map((each) => ({ value: each, label: each })),
      hint: "Almost every provider uses RS256.",
    },
  },
  personBy: {
    schema: v.optional(v.picklist(valuesOf(PERSON_BY)), "email"),
    expected: "People must be identified by email or by subject",
    field: {
      as: "select",
      label: "People are identified by",
      options: PERSON_BY,
      hint: "A subject is in the claim sub; at Okta in uid.",
    },
  },
  personClaim: {
    schema: v.optional(claimName, "email"),
    expected: "The claim for the person must be the name of one claim",
    field: { as: "line", label: "Claim that identifies the person", hint: "Usually email." },
  },
  emailVouchedBy: {
    schema: v.optional(v.picklist(valuesOf(VOUCHING)), "token"),
    expected: "Email vouched by must be token or administrator",
    field: { as: "radio", label: "Who confirms email addresses", options: VOUCHING },
  },
  /** In lower case. */
  emailDomains: {
    schema: v.optional(v.pipe(v.array(v.pipe(v.string(), v.minLength(3), v.maxLength(255))), v.maxLength(50)), []),
    expected: "At most 50 email domains, each like acme.example",
    field: {
      as: "lines",
      label: "Email domains",
      rows: 2,
      placeholder: "acme.example",
      hint: "Your organisation’s email domains at this provider, one per line. Tokens with another email are refused.",
    },
  },
  accountClaim: {
    schema: v.optional(claimName),
    expected: "The claim for the account must be the name of one claim",
    field: {
      as: "line",
      label: "Claim that identifies the account",
      hint: "If empty: sub; at Entra oid; at Okta uid. The account’s holder stays the same person if their email changes.",
    },
  },
  emailVerifiedClaim: {
    schema: v.optional(claimName, "email_verified"),
    expected: "The claim for a verified email must be the name of one claim",
    field: {
      as: "line",
      label: "Claim that confirms the email",
      hint: "Usually email_verified; at Entra xms_edov.",
    },
  },
  groupsClaim: {
    schema: v.optional(claimName),
    expected: "The claim for groups must be the name of one claim",
    field: {
      as: "line",
      label: "Claim with the groups",
      hint: "If empty, groups stay as they were at the person’s last sign-in.",
    },
  },
  /** Otherwise a second provider's "Finance" would be the organisation's. */
  groupsMeetDirectory: {
    schema: v.optional(v.boolean(), false),
    expected: "Groups meet directory must be true or false",
    field: {
      as: "switch",
      label: "Treat its groups as directory groups",
      hint: "Off: a group is named with its issuer, as in https://idp.example|finance, so that it is not your own finance.",
    },
  },
  /** A token that expires later was not meant as an access token. */
  tokenLifetimeSecondsMax: {
    schema: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(30 * 86_400)), 86_400),
    expected: "The maximum token lifetime must be 60 seconds to 30 days",
  },
  requiredClaims: {
    schema: v.optional(v.pipe(v.record(claimName, value), v.maxEntries(20)), {}),
    expected: "Enter at most 20 required claims, each with a name and a text value",
    field: {
      as: "claims",
      label: "Required claims",
      rows: 2,
      placeholder: "hd=acme.example",
      hint: "One claim=value per line. Needed if one issuer serves several organisations.",
    },
  },
  scopes: {
    schema: v.pipe(v.array(v.picklist(API_SCOPES)), v.minLength(1), v.maxLength(API_SCOPES.length)),
    expected: `Select at least one scope out of ${API_SCOPES.join(", ")}`,
    field: {
      as: "checkboxes",
      label: "Scopes of its tokens",
      hint: "The most that a token can have. If a token names some of these scopes, it has only those.",
    },
  },
  scopesRequired: {
    schema: v.optional(v.boolean(), false),
    expected: "Scopes required must be true or false",
    field: {
      as: "switch",
      label: "Require tokens to name their scopes",
      hint: "Off: a token that names none of these scopes has all that are selected above.",
    },
  },
  /** The header keeps tokens apart that are examined in different ways. Some hosts of MCP can't send it. */
  headerOptionalAtMcp: {
    schema: v.optional(v.boolean(), false),
    expected: "Header optional at /mcp must be true or false",
    field: {
      as: "switch",
      label: "Accept its tokens at /mcp without the header",
      hint: "For hosts that can’t send it, such as Microsoft 365 Copilot with Entra’s single sign-on. The Client API needs the header all the same.",
    },
  },
  jwksUri: {
    schema: v.optional(v.pipe(v.string(), v.url(), v.maxLength(500))),
    expected: "The URL of the keys must be an https URL",
    field: {
      as: "line",
      label: "URL of its keys",
      hint: "If empty, the URL in the provider’s discovery document.",
    },
  },
} satisfies Readonly<Record<string, IssuerMember>>;

/** What programs read about a member, which the Worker doesn't need: in the API's description, and as an option of `issuer add`. */
interface IssuerWords {
  readonly api: Words;
  readonly option?: readonly [usage: string, meaning: string];
}

export const ISSUER_WORDS: Readonly<Record<keyof typeof ISSUER_MEMBERS, IssuerWords>> = {
  issuer: { api: ["The issuer, exactly as in its tokens", "https://idp.example.com"] },
  name: { api: ["The name that administrators see", "Okta"], option: ["--name <name>", "what lists show"] },
  clientIds: {
    api: ["Client ids of the apps whose tokens are accepted", ["portal"]],
    option: ["--client-id <id> …", "an app whose tokens are accepted"],
  },
  accepts: {
    api: ["What is accepted from it: access tokens, identity assertions (ID-JAGs), or both"],
    option: ["--accepts <what>", "access-tokens (the default), id-jags, or both"],
  },
  clientIdClaim: {
    api: [
      "The claim that contains the client id; if absent, the first of `azp`, `appid`, `cid`, `client_id` and `aud` that the token has",
      "azp",
    ],
    option: ["--client-id-claim <claim>", "the claim that names the app"],
  },
  audiences: {
    api: ["Accepted audiences; if empty, any audience is accepted", ["api://gatehouse"]],
    option: ["--audience <audience> …", "an accepted audience; without one, any"],
  },
  algorithms: {
    api: ["Accepted signature algorithms", ["RS256"]],
    option: ["--algorithm <alg> …", "an accepted signature algorithm"],
  },
  personBy: {
    api: ["Whether people are identified by email address or by subject"],
    option: ["--person-by <how>", "email or subject"],
  },
  personClaim: {
    api: ["The claim that identifies the person", "email"],
    option: ["--person-claim <claim>", "the claim that identifies the person"],
  },
  emailDomains: {
    api: ["Email domains of its people", ["example.com"]],
    option: ["--email-domain <domain> …", "an email domain of its people"],
  },
  emailVouchedBy: {
    api: ["Who vouches that an email address belongs to the person"],
    option: ["--email-vouched-by <who>", "token, or administrator"],
  },
  emailVerifiedClaim: {
    api: ["The claim that says whether the email address is verified", "email_verified"],
    option: ["--email-verified-claim <claim>", "the claim that says that the email is verified"],
  },
  groupsClaim: {
    api: ["The claim that lists a person's groups; if absent, groups stay as the last sign-in left them", "groups"],
    option: ["--groups-claim <claim>", "the claim that lists a person's groups"],
  },
  groupsMeetDirectory: {
    api: ["Whether its groups are those of the directory"],
    option: ["--groups-meet-directory <yes|no>", "whether its groups are those of the directory"],
  },
  accountClaim: {
    api: ["The claim with the permanent id of an account", "sub"],
    option: ["--account-claim <claim>", "the claim with the permanent id of an account"],
  },
  tokenLifetimeSecondsMax: { api: ["Longest accepted token lifetime, in seconds", 86_400] },
  requiredClaims: {
    api: ["Claims that must have exactly these values", { tid: "acme" }],
    option: ["--require-claim <claim=value> …", "refuse tokens without it"],
  },
  scopes: {
    api: ["Scopes that its tokens can have", ["SEARCH"]],
    option: ["--scope <scopes> …", "what its tokens give access to at most; SEARCH by default"],
  },
  scopesRequired: {
    api: ["Whether a token has only the scopes that it names, and none if it names none"],
    option: ["--scopes-required <yes|no>", "whether a token must name its scopes"],
  },
  headerOptionalAtMcp: {
    api: ["Whether its tokens are accepted at `/mcp` without the header that announces them"],
    option: ["--header-optional-at-mcp <yes|no>", "whether its tokens are accepted at /mcp without the header"],
  },
  jwksUri: {
    api: ["URL of the public keys; if absent, the one in its discovery document", "https://idp.example.com/jwks.json"],
    option: ["--jwks-uri <url>", "where its keys are, if its discovery document does not say"],
  },
};
