import type { Keyring } from "#crypto/keyring.ts";
import { sha256 } from "#crypto/hash.ts";
import { randomId, randomSecret } from "#crypto/random.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import type { Clock } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { parseIdentity } from "./identity.ts";
import type { OpenIdProvider, SignInProof, SignInOptions } from "./openid-provider.ts";
import type { People } from "#people/people.ts";

/** Who came back from the SSO, and what it says about how they authenticated there. */
export interface Authentication {
  readonly personId: string;
  /** `auth_time`, in Unix seconds; many SSOs give it only when asked, some never. */
  readonly authenticatedAt: number | undefined;
  /** `acr`: how, in the SSO's own word. */
  readonly acr: string | undefined;
  /** The session at the SSO, as {@link ssoSessionOf} names it; many SSOs name none. */
  readonly ssoSession: string | undefined;
  /** As a sign-in of `People` says it: what is opened requires that no sign-out was added. */
  readonly signOuts: number;
}

/** Sends a browser to the organisation's SSO, and says who came back. What it was sent for, and by whom, is the caller's to keep. */
export class SignIn {
  readonly #people: People;
  readonly #provider: OpenIdProvider;
  readonly #keyring: Keyring;
  readonly #clock: Clock;

  constructor(people: People, provider: OpenIdProvider, keyring: Keyring, clock: Clock) {
    this.#people = people;
    this.#provider = provider;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /** 256 random bits, and the id of the current master key: the same key makes the proof when the browser comes back. */
  newState(): string {
    return `${randomSecret()}.${this.#keyring.ids[0]}`;
  }

  /**
   * Where the browser signs in.
   *
   * @param state from {@link newState}, good once
   * @throws {OAuthError} `temporarily_unavailable` when there is no SSO, or it cannot be reached
   */
  async url(instance: RequestInstance, state: string, options: SignInOptions): Promise<string> {
    const sso = requireSingleSignOn(instance);
    return this.#provider.authorizationUrl(sso, callbackUri(instance), await this.#proofOf(state), options);
  }

  /**
   * Who signed in.
   *
   * @param answer the URL that the browser came back to
   * @param clientId the app that sent them, if one did
   * @throws {OAuthError} for a page of our own
   */
  async person(
    instance: RequestInstance,
    answer: URL,
    state: string,
    options: SignInOptions,
    clientId?: string,
  ): Promise<Authentication> {
    const { instanceId, name, externalIssuers } = instance.policy;
    const sso = requireSingleSignOn(instance);
    const proof = await this.#proofOf(state);
    const claims = await this.#provider.redeem(sso, name, answer, callbackUri(instance), proof, options);
    const identity = parseIdentity(claims, sso, externalIssuers.get(sso.issuer));
    const { auth_time: authenticatedAt, acr, sid } = claims;
    const ssoSession = typeof sid === "string" && sid !== "" ? await ssoSessionOf(sso.issuer, sid) : undefined;
    const from = { clientId, ssoSession };
    const signedIn = await this.#people.signIn(instanceId, identity, randomId(), this.#clock(), from);
    if (signedIn.outcome !== "signed-in") {
      const connection = "personId" in signedIn ? { personId: signedIn.personId } : {};
      throw new OAuthError("access_denied", { ...REFUSED_PEOPLE[signedIn.outcome], connection });
    }
    return {
      personId: signedIn.personId,
      authenticatedAt: typeof authenticatedAt === "number" ? authenticatedAt : undefined,
      acr: typeof acr === "string" ? acr : undefined,
      ssoSession,
      signOuts: signedIn.signOuts,
    };
  }

  /** Nonce and verifier follow from the state under the master key that it names, so that nothing secret has to be stored. */
  async #proofOf(state: string): Promise<SignInProof> {
    const keyId = state.slice(state.lastIndexOf(".") + 1);
    const [nonce, codeVerifier] = await Promise.all([
      this.#keyring.mac("sso-nonce", state, keyId),
      this.#keyring.mac("sso-code-verifier", state, keyId),
    ]);
    return { state, nonce, codeVerifier };
  }
}

/**
 * How a session at an SSO is kept beside what was opened in it. A hash: an id of any length takes the same room, and one SSO's is never
 * another's.
 *
 * @param sid the SSO's id of the session (OpenID Connect Back-Channel Logout 1.0 §2.1)
 */
export function ssoSessionOf(issuer: string, sid: string): Promise<string> {
  return sha256(`${issuer} ${sid}`);
}

/** The refusal of what a sign-in would open, where a sign-out came in between. */
export function signedOutMeanwhile(): OAuthError {
  return new OAuthError("access_denied", {
    reason: "signed_out_since",
    description: "You were signed out while you signed in: sign in again",
  });
}

/** Whether the person turned back at the SSO. */
export function isCancelled(answer: URL): boolean {
  return answer.searchParams.get("error") === "access_denied";
}

function callbackUri(instance: RequestInstance): string {
  return instance.issuer + ENDPOINTS.callback;
}

function requireSingleSignOn({ policy }: RequestInstance): SingleSignOn {
  if (policy.singleSignOn) return policy.singleSignOn;
  throw new OAuthError("temporarily_unavailable", {
    reason: "sso_not_configured",
    description: "Sign-in is not set up yet: ask an administrator to connect your organisation's SSO",
  });
}

const REFUSED_PEOPLE = {
  deactivated: {
    reason: "person_deactivated",
    description: "Your account is deactivated: ask your administrator",
  },
  "email-taken": {
    reason: "person_email_taken",
    description: "Another account already uses your email address: ask your administrator",
  },
  "no-room": {
    reason: "people_too_many",
    description: "Your organisation has reached its maximum number of people: ask your administrator",
  },
} as const;
