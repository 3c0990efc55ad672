import type { Keyring } from "#crypto/keyring.ts";
import { randomId, randomSecret, sha256 } from "#crypto/secrets.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { SingleSignOn } from "#settings/settings.ts";
import { epochSeconds } from "#platform/clock.ts";
import { OAuthError } from "#protocol/errors.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { statedTime } from "#protocol/numeric-date.ts";
import { ssoOfIssuer } from "./choosing.ts";
import { parseIdentity } from "./identity.ts";
import type { KnownProvider, OpenIdProvider, SignInOptions, SignInProof } from "./openid-provider.ts";
import type { D1People } from "#people/people.d1.ts";
import type { SignInOrigin } from "#people/people.ts";

/** The person who came back from the SSO, and how they authenticated there, according to the SSO. */
export interface Authentication {
  readonly personId: string;
  /** `auth_time`, in epoch seconds. Many SSOs send it only on request, and some never. */
  readonly authenticatedAt: number | undefined;
  /** When they signed in there, in epoch seconds, or came back from there, if the SSO doesn't say. Never later than now. */
  readonly signedInAt: number;
  /** `acr`: how the person authenticated, in the SSO's own terms. */
  readonly acr: string | undefined;
  /** The session at the SSO ({@link ssoSessionOf}). Many SSOs send no `sid`. */
  readonly ssoSession: string | undefined;
  /**
   * The number of sign-outs, from `D1People.signIn`. A session or grant may be created only if it hasn't changed since.
   */
  readonly signOuts: number;
}

/** An SSO, and what is known of it as soon as it has been read. */
export interface ReadSso {
  readonly sso: SingleSignOn;
  readonly known: Promise<KnownProvider>;
}

/**
 * Sends a browser to one of the organisation's SSOs, and identifies who comes back. Callers store why, and for which browser.
 */
export class SignIn {
  readonly #people: D1People;
  readonly #provider: OpenIdProvider;
  readonly #keyring: Keyring;

  constructor(people: D1People, provider: OpenIdProvider, keyring: Keyring) {
    this.#people = people;
    this.#provider = provider;
    this.#keyring = keyring;
  }

  /**
   * Returns 256 random bits and the id of the current master key, so that the same key derives the secrets when the browser comes
   * back.
   */
  newState(): string {
    return `${randomSecret()}.${this.#keyring.ids[0]}`;
  }

  /**
   * Returns the URL at which the browser signs in.
   *
   * @param state from {@link newState}; works only once. Store the SSO's issuer with it: {@link person} needs it
   * @throws {OAuthError} `temporarily_unavailable` if the SSO can't be reached
   */
  async url(instance: RequestInstance, at: ReadSso, state: string, options: SignInOptions): Promise<string> {
    const { server } = await at.known;
    const proof = await this.#proofOf(state);
    return this.#provider.authorizationUrl(at.sso, server, callbackUri(instance, at.sso), proof, options);
  }

  /** Begins to read what is known of an SSO. If it fails, {@link url} and {@link person} throw why. */
  read(sso: SingleSignOn): ReadSso {
    const known = this.#provider.recall(sso);
    known.catch(() => undefined);
    return { sso, known };
  }

  /**
   * Begins to read what is known of the SSO, if there is only one. That takes as long as finding out what a sign-in is for, so begin
   * before that.
   */
  readAhead({ policy }: RequestInstance): ReadSso | undefined {
    const [sso, ...others] = policy.singleSignOns;
    return sso && others.length === 0 ? this.read(sso) : undefined;
  }

  /**
   * Returns who signed in.
   *
   * @param ahead from {@link readAhead}
   * @param issuer the SSO that the browser was sent to. Nothing in the response may say so: whoever answers could name another, to
   *   get a code that is not theirs (mix-up, RFC 9700 §4.4)
   * @param answer the URL that the browser came back to
   * @param forApp the app that started the authorization, if any, and its request
   * @throws {OAuthError} which is shown on our own error page
   */
  async person(
    instance: RequestInstance,
    ahead: ReadSso | undefined,
    issuer: string | undefined,
    answer: URL,
    state: string,
    options: SignInOptions,
    forApp: Pick<SignInOrigin, "clientId" | "request"> = {},
  ): Promise<Authentication> {
    const { instanceId, name, externalIssuers } = instance.policy;
    const sso = requireBegun(instance, issuer);
    if (answer.pathname !== new URL(callbackUri(instance, sso)).pathname) throw answeredElsewhere();
    const { known } = ahead ?? this.read(sso);
    const proof = await this.#proofOf(state);
    const { claims, kept } = await this.#provider.redeem(
      sso,
      await known,
      name,
      answer,
      callbackUri(instance, sso),
      proof,
      options,
    );
    const identity = parseIdentity(claims, sso, externalIssuers.get(sso.issuer));
    const { auth_time: authenticatedAt, acr, sid } = claims;
    const ssoSession = typeof sid === "string" && sid !== "" ? await ssoSessionOf(sso.issuer, sid) : undefined;
    const now = epochSeconds();
    const signedInAt = statedTime(authenticatedAt, now);
    const from = { ...forApp, ssoSession, signedInAt };
    const [signedIn] = await Promise.all([this.#people.signIn(instanceId, identity, randomId(), now, from), kept]);
    if (signedIn.outcome === "request-gone") throw signedOutMeanwhile();
    if (signedIn.outcome === "sso-removed") throw removedMeanwhile();
    if (signedIn.outcome !== "signed-in") {
      const connection = "personId" in signedIn ? { personId: signedIn.personId } : {};
      throw new OAuthError("access_denied", { ...REFUSED_PEOPLE[signedIn.outcome], connection });
    }
    return {
      personId: signedIn.personId,
      authenticatedAt: typeof authenticatedAt === "number" ? authenticatedAt : undefined,
      signedInAt,
      acr: typeof acr === "string" ? acr : undefined,
      ssoSession,
      signOuts: signedIn.signOuts,
    };
  }

  /**
   * Derives nonce and verifier from the state with the master key that it names, so that no secret has to be stored.
   */
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
 * Returns the identifier under which a session at an SSO is stored with the sessions and grants that it led to. It is a hash, so ids
 * of any length take the same space, and ids of different SSOs never collide.
 *
 * @param sid the SSO's id of the session (OpenID Connect Back-Channel Logout 1.0 §2.1)
 */
export function ssoSessionOf(issuer: string, sid: string): Promise<string> {
  return sha256(`${issuer} ${sid}`);
}

/** The refusal of a sign-in if the person was signed out while it was in progress. */
export function signedOutMeanwhile(): OAuthError {
  return new OAuthError("access_denied", {
    reason: "signed_out_since",
    description: "You were signed out while you signed in: sign in again",
  });
}

/** How SSOs say that the person themself stopped: Entra's AADSTS65004, Auth0, and those based on node oidc-provider. */
const CANCELLATION = /cancel|abort|declined to|did not authori[sz]e|user denied/i;

/**
 * Checks whether the person cancelled the sign-in at the SSO. `access_denied` is also how an SSO refuses somebody who may not use this
 * service, such as Entra with AADSTS50105: then it says why, and that has to reach the administrator.
 */
export function isCancelled({ searchParams }: URL): boolean {
  if (searchParams.get("error") !== "access_denied") return false;
  const said = searchParams.get("error_description")?.trim() ?? "";
  return said === "" || searchParams.get("error_subcode") === "cancel" || CANCELLATION.test(said);
}

/**
 * Returns our redirect URI at an SSO. Each SSO has its own, so that a response shows which SSO it is from, even if it doesn't send
 * `iss` (RFC 9700 §4.4.2.2).
 */
export function callbackUri({ issuer }: Pick<RequestInstance, "issuer">, sso: Pick<SingleSignOn, "number">): string {
  return issuer + ENDPOINTS.callback + (sso.number === undefined ? "" : `/${sso.number}`);
}

/** Returns the SSO where a sign-in began. @throws {OAuthError} `invalid_request` if it is not connected any more */
function requireBegun({ policy }: RequestInstance, issuer: string | undefined): SingleSignOn {
  const sso = ssoOfIssuer(policy.singleSignOns, issuer ?? null);
  if (sso) return sso;
  throw removedMeanwhile();
}

/** The refusal of a sign-in at an SSO that is not connected any more. */
export function removedMeanwhile(): OAuthError {
  return new OAuthError("invalid_request", {
    reason: "sso_removed",
    description: "Where you signed in is not connected any more: start again",
  });
}

function answeredElsewhere(): OAuthError {
  return new OAuthError("invalid_request", {
    reason: "sso_answer_of_another",
    description: "This response is not from where you signed in: start again",
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
