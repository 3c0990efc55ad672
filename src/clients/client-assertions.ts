import type { D1Clients, Voucher } from "./clients.d1.ts";
import type { Share } from "#spent-ids/spent-ids.d1.ts";
import { type CompactJwt, isSignedBy, parseCompactJwt } from "#crypto/compact-jwt.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { findSignatureFault, type RefusedKind, requireForeign, type SignatureFault } from "#issuers/foreign-jwt.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import { fitsAlgorithm } from "#issuers/key-set.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ApiError, OAuthError } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS } from "#protocol/numeric-date.ts";
import type { ClientKeys } from "./client-keys.ts";
import { type ClientCredentials, proofOfKeys } from "./client.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import type { SpentIds } from "#spent-ids/spent-ids.ts";

/** The algorithms that assertions may be signed with: those of FAPI 2.0 §5.4, and RS256, which ChatGPT uses. */
export const ASSERTION_ALGORITHMS = ["ES256", "PS256", "RS256"] as const;

/** Maximum lifetime of an assertion. It is made for one request, and its id is remembered until it expires, so it must expire soon. */
const LIFETIME_SECONDS_MAX = 10 * 60;

const UNSIGNED = "The client assertion is not signed by a key that the client publishes";
const OTHER_PURPOSE = "The JWT says that it is something else than a client assertion";

/**
 * A client assertion (RFC 7523 §3). Its types mean "client authentication", or it has none. Every audience must be this server:
 * otherwise, a server that it is for too could act as the client here.
 */
export const CLIENT_ASSERTION: RefusedKind = {
  types: [undefined, "jwt", "client-authentication+jwt"],
  lifetimeSecondsMax: LIFETIME_SECONDS_MAX + CLOCK_TOLERANCE_SECONDS,
  refusals: {
    "algorithm-not-allowed": [
      "assertion_algorithm_not_allowed",
      `Sign the client assertion with one of ${ASSERTION_ALGORITHMS.join(", ")}`,
    ],
    "key-unnamed": ["assertion_key_unnamed", "Name the key in the client assertion's header (kid)"],
    "key-unknown": ["assertion_signature_wrong", UNSIGNED],
    "signature-wrong": ["assertion_signature_wrong", UNSIGNED],
    "other-type": ["assertion_type_wrong", OTHER_PURPOSE],
    "other-key": ["assertion_of_another_key", "A client assertion is bound to no other key: leave out cnf"],
    event: ["assertion_type_wrong", OTHER_PURPOSE],
    "other-audience": ["assertion_audience_wrong", "The client assertion's audience must be {audience}"],
    expired: ["assertion_expired", "The client assertion has expired, or does not say when it does (exp)"],
    "too-long": ["assertion_too_long", `Let the client assertion expire within ${LIFETIME_SECONDS_MAX} seconds`],
    "not-recent": ["assertion_not_yet_valid", "The client assertion is not valid yet: check the client's clock"],
    early: ["assertion_not_yet_valid", "The client assertion is not valid yet: check the client's clock"],
    "no-id": ["assertion_id_malformed", "Give the client assertion an id of its own (jti)"],
  },
};

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
  readonly #clients: D1Clients;
  readonly #published: PublishedClientKeys;
  readonly #spentIds: SpentIds;

  constructor(clients: D1Clients, published: PublishedClientKeys, spentIds: SpentIds) {
    this.#clients = clients;
    this.#published = published;
    this.#spentIds = spentIds;
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
    const client = await this.#clients.findKeys(context.instanceId, id);
    if (!client) throw refused("assertion_of_client_without_keys");
    if (client.vouchedForBy === "nobody") await context.beforeStranger();
    const published = this.#published[client.vouchedForBy];
    const { audiences, waitUntil } = context;
    const accepted = await requireForeign(
      jwt,
      CLIENT_ASSERTION,
      { audiences, now: epochSeconds() },
      () => findFaultOfClient(jwt, id, client.keys, published, waitUntil),
      refused,
    );
    const { instanceId } = context;
    const share = SHARES[client.vouchedForBy](id);
    const spent = { instanceId, purpose: "client_assertion", sender: id, id: accepted.id, share } as const;
    if (!(await this.#spentIds.spend({ ...spent, expiresAt: accepted.goodUntil }))) {
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
 * Checks the signature with the key that `kid` names, or, if the metadata contains the keys, with all that fit `kid` and algorithm.
 */
async function findFaultOfClient(
  jwt: CompactJwt,
  clientId: string,
  keys: ClientKeys,
  published: IssuerKeys,
  waitUntil: WaitUntil,
): Promise<SignatureFault | undefined> {
  if ("jwks" in keys) {
    const { alg, kid } = jwt.header;
    const algorithm = ASSERTION_ALGORITHMS.find((known) => known === alg);
    if (!algorithm) return "algorithm-not-allowed";
    for (const key of keys.jwks) {
      const isNamed = kid === undefined || key.kid === undefined || key.kid === kid;
      if (isNamed && fitsAlgorithm({ ...key }, algorithm) && (await isSignedBy(jwt, { ...key }, [algorithm]))) {
        return undefined;
      }
    }
    return "signature-wrong";
  }
  const publisher = { issuer: clientId, jwksUri: keys.jwksUri };
  try {
    return await findSignatureFault(jwt, publisher, ASSERTION_ALGORITHMS, published, waitUntil);
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

function refused(reason: RefusalReason, description?: string): OAuthError {
  return new OAuthError("invalid_client", description === undefined ? { reason } : { reason, description });
}
