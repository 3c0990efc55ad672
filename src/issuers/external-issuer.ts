import { hidesCharacters } from "#protocol/display-name.ts";
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

/** What an administrator can accept from an issuer. */
export const ACCEPTED = ["access-tokens", "id-jags", "both"] as const;

const claimName = v.pipe(v.string(), v.minLength(1), v.maxLength(200));
const value = v.pipe(v.string(), v.minLength(1), v.maxLength(500));

/** An identity provider whose tokens are accepted, and how they are read. */
export const externalIssuerSchema = v.object({
  /** Exactly the `iss` of its tokens, byte for byte. */
  issuer: v.pipe(v.string(), v.url(), v.maxLength(500)),
  /** The name that administrators see. */
  name: v.pipe(
    v.string(),
    v.minLength(1),
    v.maxLength(80),
    v.check((name) => !hidesCharacters(name)),
  ),
  /**
   * What is accepted from it: access tokens at the Client API, identity assertions (ID-JAGs) at the token endpoint, or both. Identity
   * assertions let an app act for a person without a consent page, so they are accepted only if an administrator chooses that.
   */
  accepts: v.optional(v.picklist(ACCEPTED), "access-tokens"),
  /**
   * The applications whose tokens are accepted: client ids at the provider, and for identity assertions client ids here.
   */
  clientIds: v.pipe(v.array(value), v.minLength(1), v.maxLength(100)),
  /**
   * The claim that names the application; by default, the first existing one of `azp`, `appid`, `cid`, `client_id`, `aud`.
   */
  clientIdClaim: v.optional(claimName),
  /** Tokens must be for one of these audiences (`aud`); if empty, for any. */
  audiences: v.optional(v.pipe(v.array(value), v.maxLength(20)), []),
  algorithms: v.optional(
    v.pipe(v.array(v.picklist(EXTERNAL_ALGORITHMS)), v.minLength(1), v.maxLength(EXTERNAL_ALGORITHMS.length)),
    ["RS256"],
  ),
  /** Whether the person's claim is an email address, or the subject with which the same issuer signs people in here. */
  personBy: v.optional(v.picklist(["email", "subject"]), "email"),
  personClaim: v.optional(claimName, "email"),
  /**
   * Who vouches that an email address belongs to its holder: the token (with the claim below), or the administrator, who knows that this
   * issuer's people can't choose their address. With an address that they can choose, people could read others' documents (nOAuth).
   */
  emailVouchedBy: v.optional(v.picklist(["token", "administrator"]), "token"),
  /**
   * The email domains of its people, in lower case. It may not speak for people with an address in any other domain.
   */
  emailDomains: v.optional(v.pipe(v.array(v.pipe(v.string(), v.minLength(3), v.maxLength(255))), v.maxLength(50)), []),
  /**
   * The claim with an account's permanent identifier. An account that keeps it stays the same person with another email address.
   */
  accountClaim: v.optional(claimName),
  /**
   * The claim that says that the address is verified: Entra has `xms_edov`, and a claim that is added at Auth0 has a custom name.
   */
  emailVerifiedClaim: v.optional(claimName, "email_verified"),
  /** The claim that lists a person's groups; if it is not set, groups stay as the last sign-in left them. */
  groupsClaim: v.optional(claimName),
  /**
   * Whether its groups are the directory's own. Otherwise they are named with the issuer, `<issuer>|<group>`, because a second
   * provider's "Finance" is not the organisation's.
   */
  groupsMeetDirectory: v.optional(v.boolean(), false),
  /** Maximum lifetime of its tokens. One that expires later was not meant as an access token. */
  tokenLifetimeSecondsMax: v.optional(v.pipe(v.number(), v.integer(), v.minValue(60), v.maxValue(30 * 86_400)), 86_400),
  /** Claims that must have exactly these values, if an issuer serves more than this organisation. */
  requiredClaims: v.optional(v.pipe(v.record(claimName, value), v.maxEntries(20)), {}),
  /** The scopes that its tokens can have. A token that names some of them has only these. */
  scopes: v.pipe(v.array(v.picklist(API_SCOPES)), v.minLength(1), v.maxLength(API_SCOPES.length)),
  /** Whether a token that names none of them has no scope, instead of all of them. */
  scopesRequired: v.optional(v.boolean(), false),
  /** The URL of its keys; by default, the one in its discovery document. */
  jwksUri: v.optional(v.pipe(v.string(), v.url(), v.maxLength(500))),
});

export type ExternalIssuer = v.InferOutput<typeof externalIssuerSchema>;

/** Checks whether an issuer's access tokens are accepted at the Client API. */
export function givesAccessTokens({ accepts }: Pick<ExternalIssuer, "accepts">): boolean {
  return accepts !== "id-jags";
}

/** Checks whether an issuer's identity assertions are accepted at the token endpoint. */
export function givesIdJags({ accepts }: Pick<ExternalIssuer, "accepts">): boolean {
  return accepts !== "access-tokens";
}

/** Parses a stored issuer. Absent fields get their defaults. */
export function parseExternalIssuer(stored: unknown): ExternalIssuer {
  return v.parse(externalIssuerSchema, stored);
}
