import { issuersApp } from "#app-access/app-rules.ts";
import type { CompactJwt } from "#crypto/compact-jwt.ts";
import { randomId } from "#crypto/secrets.ts";
import type { PolicySnapshot } from "#instance/policy-snapshot.ts";
import { type ExternalIssuer, givesAccessTokens } from "#issuers/external-issuer.ts";
import { requireRegisteredClient } from "#issuers/registered-client.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import type { PublicJwk } from "#issuers/key-set.ts";
import { scopesOfToken } from "#issuers/token-scopes.ts";
import type { ExternalPeople } from "#people/external-people.ts";
import { epochSeconds } from "#platform/clock.ts";
import type { HostNaming } from "#platform/host-naming.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import type { Scope } from "#protocol/scopes.ts";
import { isFromBefore } from "#single-sign-on/external-identity.ts";
import type { Caller, Credentials } from "./caller.ts";
import { readPersonOf } from "./external-person-step.ts";
import {
  expiryOf,
  EXTERNAL_TOKEN_STEPS,
  issuerOf,
  keyThumbprintOf,
  type PresentedExternalToken,
} from "./external-token-steps.ts";
import { RememberedPeople, rememberedUntil } from "./remembered-people.ts";
import { type CredentialKind, Examination } from "./steps.ts";
import { verifiedTokens } from "./verified-tokens.ts";

interface VerifiedToken {
  /** Several instances may register the same issuer, but a person belongs to one instance. */
  readonly instanceId: number;
  /** As it was registered when the token was verified. */
  readonly issuer: ExternalIssuer;
  /** The key that its signature was verified with. */
  readonly key: PublicJwk;
  readonly caller: Caller;
  /** Its `iat` claim. */
  readonly issuedAt: unknown;
  /** Until when it counts as verified: until it expires, or its person has to be read again. */
  readonly trustedUntil: number;
}

/**
 * Access tokens that identity providers issued and that an administrator lets in. Like our own tokens, they are verified once per
 * isolate and then recognised as a whole. What can change meanwhile (time, registration, key, person) is checked on every request.
 */
export class ExternalTokens implements CredentialKind<PresentedExternalToken> {
  readonly steps = EXTERNAL_TOKEN_STEPS;
  readonly #keys: IssuerKeys;
  readonly #people: ExternalPeople;
  readonly #naming: HostNaming;
  readonly #verified = verifiedTokens<VerifiedToken>();
  readonly #rememberedPeople = new RememberedPeople();

  constructor(keys: IssuerKeys, people: ExternalPeople, naming: HostNaming) {
    this.#naming = naming;
    this.#keys = keys;
    this.#people = people;
  }

  /**
   * Recognises a token that this isolate has verified before and that is still valid. `undefined` says nothing about the token.
   *
   * @param isUnannounced whether its issuer must be one whose tokens may come without the header
   */
  recognise(policy: PolicySnapshot, token: string, waitUntil: WaitUntil, isUnannounced = false): Caller | undefined {
    const verified = this.#verified.get(token);
    if (!verified || (isUnannounced && !verified.issuer.headerOptionalAtMcp)) return undefined;
    const { instanceId, issuer, key, trustedUntil, caller, issuedAt } = verified;
    const holds =
      instanceId === policy.instanceId &&
      policy.settings.externalTokensEnabled &&
      policy.externalIssuers.get(issuer.issuer) === issuer &&
      trustedUntil > epochSeconds() &&
      !policy.deactivatedPeople.has(caller.personId) &&
      !isFromBefore(issuedAt, policy.signedOutPeople.get(caller.personId)) &&
      this.#keys.holds(issuer, key, waitUntil);
    if (holds) return caller;
    this.#verified.delete(token);
    return undefined;
  }

  examine(
    policy: PolicySnapshot,
    jwt: CompactJwt,
    { authTypeHeader, waitUntil }: Pick<Credentials, "authTypeHeader" | "waitUntil">,
  ): Examination<PresentedExternalToken> {
    const { iss } = jwt.payload;
    const issuer = typeof iss === "string" ? policy.externalIssuers.get(iss) : undefined;
    return new Examination(this, {
      jwt,
      policy,
      issuer: issuer && givesAccessTokens(issuer) ? issuer : undefined,
      authTypeHeader,
      naming: this.#naming,
      keys: this.#keys,
      people: this.#people,
      rememberedPeople: this.#rememberedPeople,
      newPersonId: randomId(),
      now: epochSeconds(),
      waitUntil,
    });
  }

  callerOf(presented: PresentedExternalToken): Caller {
    const issuer = issuerOf(presented);
    return {
      personId: readPersonOf(presented).found.personId,
      scopes: new Set<Scope>(scopesOfToken(presented.jwt.payload, issuer)),
      keyThumbprint: keyThumbprintOf(presented.jwt),
      apps: [[issuersApp(issuer.issuer, requireRegisteredClient(presented.jwt.payload, issuer))]],
    };
  }

  noteAdmitted(presented: PresentedExternalToken): void {
    const { jwt, policy, issuer, key, identity } = presented;
    if (!issuer || !key || !identity) return;
    const person = readPersonOf(presented);
    this.#rememberedPeople.keep(policy, issuer, identity, person);
    const verified = {
      instanceId: policy.instanceId,
      issuer,
      key,
      caller: this.callerOf(presented),
      issuedAt: jwt.payload["iat"],
      trustedUntil: Math.min(expiryOf(jwt), rememberedUntil(person)),
    };
    this.#verified.set(jwt.token, verified, jwt.token.length);
  }
}
