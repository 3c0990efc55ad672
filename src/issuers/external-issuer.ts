import { hidesCharacters } from "#protocol/display-name.ts";
import { API_SCOPES } from "#protocol/scopes.ts";
import * as v from "valibot";

/** Asymmetric signatures alone: with a shared secret, a verifier could also sign (RFC 8725 §3.1). */
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

/** What an administrator can let an issuer send. */
export const ACCEPTED = ["access-tokens", "id-jags", "both"] as const;

const claimName = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const value = v.pipe(v.string(), v.minLength(1), v.maxLength(500));

/** An identity provider whose access tokens the Client API takes, and what is made of them. */
export const externalIssuerSchema = v.object({
  /** Byte for byte the `iss` of its tokens. */
  issuer: v.pipe(v.string(), v.url(), v.maxLength(500)),
  /** What administrators call it. */
  name: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(80),
    v.check((name) => !hidesCharacters(name)),
  ),
  /**
   * What is taken from it: access tokens at the Client API, identity assertions (ID-JAGs) at the token endpoint, or both. The second
   * lets an app act for a person without a consent page, so nobody gets it who did not ask for it.
   */
  accepts: v.optional(v.picklist(ACCEPTED), "access-tokens"),
  /** The applications whose tokens pass: client ids at the provider, and for identity assertions client ids here. */
  clientIds: v.pipe(v.array(value), v.minLength(1), v.maxLength(100)),
  /** The claim that names the application; where it is not set, the first there is of `azp`, `appid`, `cid`, `client_id`, `aud`. */
  clientIdClaim: v.optional(claimName),
  /** Tokens must be for one of these (`aud`); if empty, for any. */
  audiences: v.optional(v.pipe(v.array(value), v.maxLength(20)), []),
  algorithms: v.optional(
    v.pipe(v.array(v.picklist(EXTERNAL_ALGORITHMS)), v.minLength(1), v.maxLength(EXTERNAL_ALGORITHMS.length)),
    ["RS256"],
  ),
  /** Whether the person's claim is an email address, or the subject under which the same issuer signs people in here. */
  personBy: v.optional(v.picklist(["email", "subject"]), "email"),
  personClaim: v.optional(claimName, "email"),
  /**
   * Who says that an email address is its holder's: the token (by the claim below), or the administrator, who knows that this
   * issuer's people cannot choose theirs. An address that people can choose reads other people's documents (nOAuth).
   */
  emailVouchedBy: v.optional(v.picklist(["token", "administrator"]), "token"),
  /** The domains of the people it speaks for, in lower case: an email of any other domain is none of its people's. */
  emailDomains: v.optional(v.pipe(v.array(v.pipe(v.string(), v.minLength(3), v.maxLength(255))), v.maxLength(50)), []),
  /** The claim of an account's lasting identifier: an account that keeps it stays the same person under another email. */
  accountClaim: v.optional(claimName),
  /** The claim by which a token says so: Entra has `xms_edov`, and a claim that is added at Auth0 has a name of its own. */
  emailVerifiedClaim: v.optional(claimName, "email_verified"),
  /** The claim that lists a person's groups; where it is not set, they stay as the last sign-in left them. */
  groupsClaim: v.optional(claimName),
  /**
   * Whether its groups are the directory's own. Otherwise they are named with the issuer, `<issuer>|<group>`: a second provider's
   * "Finance" is not the organisation's.
   */
  groupsMeetDirectory: v.optional(v.boolean(), false),
  /** The longest that its tokens live; one that ends later than this was not meant as an access token. */
  tokenLifetimeSecondsMax: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(30 * 86_400)), 86_400),
  /** Claims that must have exactly these values, where an issuer serves more than this organisation. */
  requiredClaims: v.optional(v.pipe(v.record(claimName, value), v.maxEntries(20)), {}),
  /** What its tokens may do. */
  scopes: v.pipe(v.array(v.picklist(API_SCOPES)), v.minLength(1), v.maxLength(API_SCOPES.length)),
  /** Where its keys are; what its discovery document says where this is not set. */
  jwksUri: v.optional(v.pipe(v.string(), v.url(), v.maxLength(500))),
});

export type ExternalIssuer = v.InferOutput<typeof externalIssuerSchema>;

/** Whether the Client API takes an issuer's access tokens. */
export function givesAccessTokens({ accepts }: Pick<ExternalIssuer, "accepts">): boolean {
  return accepts !== "id-jags";
}

/** Whether the token endpoint takes an issuer's identity assertions. */
export function givesIdJags({ accepts }: Pick<ExternalIssuer, "accepts">): boolean {
  return accepts !== "access-tokens";
}

/** Reads a stored issuer; what is absent gets its default. */
export function parseExternalIssuer(stored: unknown): ExternalIssuer {
  return v.parse(externalIssuerSchema, stored);
}
