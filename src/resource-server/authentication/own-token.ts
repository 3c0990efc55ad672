import type { CompactJwt } from "#crypto/compact-jwt.ts";
import type { PolicySnapshots } from "#instance/policy-snapshot.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { Caller } from "./caller.ts";
import { requireStanding, type VerifiedOwnToken } from "./own-token-standing.ts";
import { OWN_TOKEN_STEPS, type PresentedOwnToken, verifiedOf } from "./own-token-steps.ts";
import { type CredentialKind, Examination } from "./steps.ts";
import { verifiedTokens } from "./verified-tokens.ts";

/**
 * Access tokens that this service issued (RFC 9068 §4).
 *
 * A token is verified once per isolate and then recognised as a whole, byte by byte. What can change meanwhile (its time, its
 * key, its grant, client and person) is checked on every request against the policy snapshot.
 */
export class OwnTokens implements CredentialKind<PresentedOwnToken> {
  readonly steps = OWN_TOKEN_STEPS;
  readonly #snapshots: PolicySnapshots;
  readonly #verified = verifiedTokens<VerifiedOwnToken>();

  constructor(snapshots: PolicySnapshots) {
    this.#snapshots = snapshots;
  }

  /** Recognises a token that this isolate has verified before. `undefined` says nothing about the token. */
  recognise(instance: RequestInstance, token: string): Caller | undefined {
    const verified = this.#verified.get(token);
    if (!verified || verified.issuer !== instance.issuer || !instance.policy.settings.oauthEnabled) return undefined;
    return requireStanding(instance.policy, verified, epochSeconds());
  }

  /** @param jwt whose `iss` is this instance's */
  examine({ issuer, policy }: RequestInstance, jwt: CompactJwt): Examination<PresentedOwnToken> {
    return new Examination(this, { jwt, issuer, policy, snapshots: this.#snapshots, now: epochSeconds() });
  }

  callerOf(presented: PresentedOwnToken): Caller {
    return requireStanding(presented.policy, verifiedOf(presented), presented.now);
  }

  noteAdmitted(presented: PresentedOwnToken): void {
    const { token } = presented.jwt;
    this.#verified.set(token, verifiedOf(presented), token.length);
  }
}
