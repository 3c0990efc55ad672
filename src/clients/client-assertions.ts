import { isSignedBy, parseCompactJwt, type CompactJwt } from "#crypto/compact-jwt.ts";
import { findMisuse } from "#crypto/jwt-misuse.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import { fitsAlgorithm, type PublicJwk } from "#issuers/key-set.ts";
import type { Clock } from "#platform/clock.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS, hasBegun, isUnexpired } from "#protocol/numeric-date.ts";
import type { ClientKeys } from "./client-keys.ts";
import { type ClientCredentials, proofOfKeys } from "./client-proof.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { isSpendableId, type Share, type SpentIds } from "#spent-ids/spent-ids.ts";

/** The algorithms that assertions may be signed with: those of FAPI 2.0 §5.4, and RS256, which ChatGPT uses. */
export const ASSERTION_ALGORITHMS = ["ES256", "PS256", "RS256"] as const;

/** Maximum lifetime of an assertion. It is made for one request, and its id is remembered until it expires, so it must expire soon. */
const LIFETIME_SECONDS_MAX = 10 * 60;

/** The types that mean "client authentication", or none. A JWT that was signed for another purpose must not authenticate its signer. */
const TYPES = [undefined, "jwt", "client-authentication+jwt"];

/** Who vouches for a client: an administrator who created or approved it, people who allowed it, or nobody yet. */
export type Voucher = "administrator" | "people" | "nobody";

export interface AssertingClients {
  /** Finds the keys of an enabled client that may use assertions. */
  findKeys(instanceId: number, clientId: string): Promise<{ keys: ClientKeys; vouchedForBy: Voucher } | null>;
}

/**
 * Caches of the keys that clients publish at their own URLs. Anybody can register another client, so they are apart: clients for
 * which nobody vouches push out no others.
 */
export type PublishedClientKeys = Readonly<Record<Voucher, IssuerKeys>>;

/**
 * The most assertions in use at a time: of each client that people allowed, and of all clients of an instance for which nobody
 * vouches together.
 */
const ASSERTIONS_OF_CLIENT_MAX = 5000;
export const ASSERTIONS_OF_STRANGERS_MAX = 2000;

/** The context that an assertion was presented in. */
export interface AssertionContext {
  readonly instanceId: number;
  /** The accepted audiences: the issuer or the token endpoint (RFC 7523 §3, OpenID Connect Core §9), or the pushed request endpoint. */
  readonly audiences: readonly string[];
  readonly waitUntil: WaitUntil;
  /** May refuse the work for a client for which nobody vouches. */
  readonly beforeStranger: () => Promise<void>;
}

/** Client authentication by a signed assertion (`private_key_jwt`; RFC 7523 §2.2, OpenID Connect Core §9). */
export class ClientAssertions {
  readonly #clients: AssertingClients;
  readonly #published: PublishedClientKeys;
  readonly #spentIds: SpentIds;
  readonly #clock: Clock;

  constructor(clients: AssertingClients, published: PublishedClientKeys, spentIds: SpentIds, clock: Clock) {
    this.#clients = clients;
    this.#published = published;
    this.#spentIds = spentIds;
    this.#clock = clock;
  }

  /**
   * Verifies an assertion and spends it. The statement that carries out the request compares the proof again, so keys that are
   * being replaced no longer count.
   *
   * @param clientId the request's `client_id`, if it has one
   * @throws {OAuthError} `invalid_client` if any check fails; `temporarily_unavailable` while the client's keys are unavailable;
   *   `slow_down` if too many assertions are in use
   */
  async verify(assertion: string, clientId: string | undefined, context: AssertionContext): Promise<ClientCredentials> {
    const jwt = parseCompactJwt(assertion);
    if (!jwt) throw refused("assertion_malformed", "The client assertion is not one signed JWT");
    const id = requireSubject(jwt, clientId);
    const algorithm = ASSERTION_ALGORITHMS.find((known) => known === jwt.header["alg"]);
    if (!algorithm) {
      throw refused(
        "assertion_algorithm_not_allowed",
        `Sign the client assertion with one of ${ASSERTION_ALGORITHMS.join(", ")}`,
      );
    }
    const misuse = findMisuse(jwt, { types: TYPES });
    if (misuse === "other-key") {
      throw refused("assertion_of_another_key", "A client assertion is bound to no other key: leave out cnf");
    }
    if (misuse) throw refused("assertion_type_wrong", "The JWT says that it is something else than a client assertion");
    const client = await this.#clients.findKeys(context.instanceId, id);
    if (!client) throw refused("assertion_of_client_without_keys");
    if (client.vouchedForBy === "nobody") await context.beforeStranger();
    const published = this.#published[client.vouchedForBy];
    const candidates = await keysFor(jwt, algorithm, id, client.keys, published, context.waitUntil);
    if (!(await isSignedByAny(jwt, candidates, algorithm))) {
      throw refused(
        "assertion_signature_wrong",
        "The client assertion is not signed by a key that the client publishes",
      );
    }
    const { jti, expiresAt } = requireClaims(jwt.payload, context.audiences, this.#clock());
    const { instanceId } = context;
    const share = SHARES[client.vouchedForBy](id);
    const spent = { instanceId, purpose: "client_assertion", sender: id, id: jti, expiresAt, share } as const;
    if (!(await this.#spentIds.spend(spent))) {
      throw refused(
        "assertion_replayed",
        "The client assertion was used before: make a new one, with a jti of its own",
      );
    }
    return { clientId: id, proof: await proofOfKeys(client.keys) };
  }
}

/** What limits the assertions of a client. Only administrators' clients have no limit: there are few of them. */
const SHARES: Readonly<Record<Voucher, (clientId: string) => Share | undefined>> = {
  administrator: () => undefined,
  people: (clientId) => ({ name: clientId, idsMax: ASSERTIONS_OF_CLIENT_MAX, reason: "assertions_too_many" }),
  nobody: () => ({ name: "strangers", idsMax: ASSERTIONS_OF_STRANGERS_MAX, reason: "assertions_too_many" }),
};

/** Requires that `iss` and `sub` are both the client's id (RFC 7523 §3), and equal to the request's `client_id` if it has one. */
function requireSubject({ payload }: CompactJwt, clientId: string | undefined): string {
  const { iss, sub } = payload;
  if (typeof sub !== "string" || iss !== sub || (clientId !== undefined && clientId !== sub)) {
    throw refused("assertion_subject_wrong", "iss and sub of the client assertion must both be the client's id");
  }
  return sub;
}

/**
 * Finds the keys that may have signed: the one that `kid` names, or, if the metadata contains the keys, all that fit `kid` and
 * algorithm.
 */
async function keysFor(
  { header }: CompactJwt,
  algorithm: string,
  clientId: string,
  keys: ClientKeys,
  published: IssuerKeys,
  waitUntil: WaitUntil,
): Promise<readonly PublicJwk[]> {
  const { kid } = header;
  if ("jwks" in keys) {
    const named = keys.jwks.filter((key) => kid === undefined || key.kid === undefined || key.kid === kid);
    return named.filter((key) => fitsAlgorithm({ ...key }, algorithm)).map((key) => ({ ...key }));
  }
  if (typeof kid !== "string" || kid === "") {
    throw refused("assertion_key_unnamed", "Name the key in the client assertion's header (kid)");
  }
  try {
    const key = await published.find({ issuer: clientId, jwksUri: keys.jwksUri }, kid, algorithm, waitUntil);
    return key ? [key] : [];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new OAuthError("temporarily_unavailable", {
      reason: "client_keys_unavailable",
      description: "The client's keys cannot be fetched from its jwks_uri right now: try again shortly",
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
      cause: error.cause,
    });
  }
}

async function isSignedByAny(jwt: CompactJwt, keys: readonly PublicJwk[], algorithm: string): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(jwt, key, [algorithm])) return true;
  return false;
}

/**
 * Checks the audience, the expiry and the id. Every audience must be this server: if an assertion were valid at two servers, one
 * of them could act as the client at the other.
 */
function requireClaims(
  { aud, exp, iat, nbf, jti }: Readonly<Record<string, unknown>>,
  audiences: readonly string[],
  now: number,
): { jti: string; expiresAt: number } {
  const named: unknown[] = Array.isArray(aud) ? aud : [aud];
  if (named.length === 0 || !named.every((audience) => typeof audience === "string" && audiences.includes(audience))) {
    throw refused("assertion_audience_wrong", `The client assertion's audience must be ${audiences[0]}`);
  }
  if (!isUnexpired(exp, now)) {
    throw refused("assertion_expired", "The client assertion has expired, or does not say when it does (exp)");
  }
  if (exp > now + LIFETIME_SECONDS_MAX + CLOCK_TOLERANCE_SECONDS) {
    throw refused("assertion_too_long", `Let the client assertion expire within ${LIFETIME_SECONDS_MAX} seconds`);
  }
  if (!hasBegun({ iat, nbf }, now)) {
    throw refused("assertion_not_yet_valid", "The client assertion is not valid yet: check the client's clock");
  }
  if (!isSpendableId(jti)) {
    throw refused("assertion_id_malformed", "Give the client assertion an id of its own (jti)");
  }
  return { jti, expiresAt: exp + CLOCK_TOLERANCE_SECONDS };
}

function refused(reason: RefusalReason, description?: string): OAuthError {
  return new OAuthError("invalid_client", description === undefined ? { reason } : { reason, description });
}
