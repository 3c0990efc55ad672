import type { RequestInstance } from "#instance/request-instance.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { epochSeconds } from "#platform/clock.ts";
import { ApiError, OAuthError, type Refusal, type RefusalOptions } from "#protocol/errors.ts";
import { type DpopProof, type ProvedRequest, readProof, requireScheme, type TokenScheme } from "./dpop-proof.ts";
import { type DpopNonces, NONCE_SLOT_SECONDS } from "./nonces.ts";

/** Maximum age of a proof without a nonce, by its sender's clock: time for the request and a retry. */
const PROOF_SECONDS_MAX = 60;

/** How far ahead a sender's clock may be. Clocks differ a little, but a proof dated in the future could have been made for later use. */
const CLOCK_AHEAD_SECONDS = 10;

/** How far off a sender's clock may be if the proof has a nonce, because the nonce shows when the proof was made. */
const CLOCK_DIFFERENCE_WITH_NONCE_SECONDS = 300;

/** The most proofs that an isolate remembers for each role. Each is at most 172 characters. */
const PROOFS_MAX = 20_000;

/** How long a proof is remembered: as long as any proof is accepted. */
const REMEMBERED_SECONDS = 2 * NONCE_SLOT_SECONDS + PROOF_SECONDS_MAX;

/** When each proof was first seen. */
type MetProofs = BoundedMap<string, number>;

/** The error class of the role that refuses a proof (RFC 9449 §5, §7.1, §8). */
type ProofRefusal = new (code: "invalid_dpop_proof" | "use_dpop_nonce", options: RefusalOptions) => Refusal;

/** An access token as a request sends it. */
export interface TokenUse {
  readonly scheme: TokenScheme;
  readonly token: string;
  /** Called only for a bound token: most tokens are not bound. */
  readonly proved: () => ProvedRequest;
}

/** Checks proofs that the sender of a request holds a key (RFC 9449). */
export class DpopProofs {
  readonly #nonces: DpopNonces;
  /**
   * The proofs by holders of tokens that this isolate has seen. It knows only its own: a proof that is copied from a request can
   * be sent once more to another isolate, until its nonce expires (docs/decisions/0030-bound-tokens.md).
   */
  readonly #metOfHolders: MetProofs;
  /**
   * The proofs by clients, kept apart from those by holders: anybody can send proofs to the token endpoint, and would push out
   * those by holders.
   */
  readonly #metOfClients: MetProofs;

  /** @param proofsMax the most proofs to remember for each role */
  constructor(nonces: DpopNonces, proofsMax = PROOFS_MAX) {
    this.#nonces = nonces;
    this.#metOfHolders = new BoundedMap(proofsMax);
    this.#metOfClients = new BoundedMap(proofsMax);
  }

  /** Returns the nonce that a response offers for the next proof. */
  nonce({ issuer }: RequestInstance): Promise<string> {
    return this.#nonces.current(issuer, epochSeconds());
  }

  /**
   * Verifies the proof of a request to the authorization server, which may also come without one. The proof must have been made
   * with its key, for this request and just now, and must not have been seen here before.
   *
   * @returns the key's thumbprint; `undefined` without a proof
   * @throws {OAuthError} `use_dpop_nonce` without a fresh nonce; `invalid_dpop_proof` if anything else is wrong
   */
  async keyOfClient(instance: RequestInstance, request: ProvedRequest): Promise<string | undefined> {
    if (request.proof === undefined) return undefined;
    const proof = await this.#read(instance, request, OAuthError);
    this.#requireUnmet(proof, this.#metOfClients, OAuthError);
    return proof.keyThumbprint;
  }

  /**
   * Requires that a bound access token is used by the holder of its key, and that an unbound one is sent as a bearer token
   * (RFC 9449 §7). A proof by another key is not remembered, because it would push out a holder's.
   *
   * @param boundTo the thumbprint of the token's key, if it is bound
   * @throws {ApiError} `invalid_token`, and what {@link keyOfClient} throws
   */
  async requireHolder(instance: RequestInstance, use: TokenUse, boundTo: string | undefined): Promise<void> {
    requireScheme(use.scheme, boundTo);
    if (boundTo === undefined) return;
    const proof = await this.#read(instance, use.proved(), ApiError, use.token);
    if (proof.keyThumbprint !== boundTo) {
      throw new ApiError("invalid_token", {
        reason: "dpop_key_differs",
        description: "The DPoP proof is signed by another key than the one that the access token is bound to",
      });
    }
    this.#requireUnmet(proof, this.#metOfHolders, ApiError);
  }

  /** Returns the proof of a request, if it was made for this request and just now. */
  async #read(
    instance: RequestInstance,
    request: ProvedRequest,
    Refused: ProofRefusal,
    accessToken?: string,
  ): Promise<DpopProof> {
    const refuse = (reason: RefusalOptions["reason"], description: string) =>
      new Refused("invalid_dpop_proof", { reason, description });
    const proof = await readProof(request, accessToken, refuse);
    const now = epochSeconds();
    const isAged = await this.#requireNonce(instance, proof, Refused, now);
    const age = now - proof.issuedAt;
    const [oldest, newest] = isAged
      ? [CLOCK_DIFFERENCE_WITH_NONCE_SECONDS, CLOCK_DIFFERENCE_WITH_NONCE_SECONDS]
      : [PROOF_SECONDS_MAX, CLOCK_AHEAD_SECONDS];
    if (age > oldest || age < -newest) {
      throw refuse(
        "dpop_proof_stale",
        "The DPoP proof's time (iat) is not now: make one for each request, and check the clock",
      );
    }
    return proof;
  }

  /** Requires that a proof was not seen before. Nothing is awaited in here, so that of two requests with one proof, one is refused. */
  #requireUnmet({ keyThumbprint, jti }: DpopProof, met: MetProofs, Refused: ProofRefusal): void {
    const id = `${keyThumbprint} ${jti}`;
    const now = epochSeconds();
    const metAt = met.get(id);
    if (metAt !== undefined && metAt > now - REMEMBERED_SECONDS) {
      throw new Refused("invalid_dpop_proof", {
        reason: "dpop_proof_replayed",
        description: "The DPoP proof was used before: make one for each request, with a jti of its own",
      });
    }
    met.set(id, now);
  }

  /** Requires a fresh nonce, if the proof has one or must have one. @returns whether it has one, which shows when it was made */
  async #requireNonce(
    { issuer, policy }: RequestInstance,
    { nonce }: DpopProof,
    Refused: ProofRefusal,
    now: number,
  ): Promise<boolean> {
    if (nonce === undefined && !policy.settings.dpopNonceRequired) return false;
    if (await this.#nonces.isFresh(issuer, nonce, now)) return true;
    throw new Refused("use_dpop_nonce", {
      reason: nonce === undefined ? "dpop_nonce_missing" : "dpop_nonce_stale",
      description: "Make the DPoP proof with the nonce of this answer's DPoP-Nonce header",
    });
  }
}
