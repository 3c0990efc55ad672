import type { ReturnedRequest } from "#authorization-requests/pending-requests.ts";

/**
 * Maximum people of an instance: more than the largest organisations have. Somebody who can create accounts at a provider can't
 * fill the database.
 */
export const PEOPLE_PER_INSTANCE = 100_000;

/** Long after all tokens from before the release have expired. Until then, the row is needed to refuse them. */
export const RELEASED_KEPT_SECONDS = 90 * 86_400;

/**
 * A person as the organisation's SSO describes them. Issuer and subject identify the person; the rest describes them.
 */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /**
   * The name of the account in access tokens of the same issuer, if it is not the subject; `undefined` if the SSO doesn't say.
   */
  readonly account: string | undefined;
  readonly email: string;
  readonly name: string;
  readonly groups: readonly string[];
  /** Whether these are the directory's groups rather than this SSO's own, which have its issuer in their names. */
  readonly groupsMeetDirectory: boolean;
  /**
   * Whether the SSO says that the email address is verified, or an administrator says so of all addresses of the SSO.
   */
  readonly isEmailVerified: boolean;
}

/** The origin of a sign-in. */
export interface SignInOrigin {
  /** The app that the person signs in for; `undefined`: our own pages. */
  readonly clientId?: string | undefined;
  /** Their session at the SSO. Many SSOs don't name it. */
  readonly ssoSession?: string | undefined;
  /** When they signed in there, in seconds; now if not given. */
  readonly signedInAt?: number;
  /** The app's request, which goes on to its consent page in the same transaction. */
  readonly request?: ReturnedRequest | undefined;
}

/** The result of a sign-in: the person's id, or why there is none. */
export type SignInOutcome =
  | {
      readonly outcome: "signed-in";
      readonly personId: string;
      /**
       * How often the person and their session at the SSO had been signed out. What is opened after the sign-in requires that this is
       * unchanged. 0 if the sign-in was for an app's request, which is part of its transaction.
       */
      readonly signOuts: number;
    }
  | { readonly outcome: "deactivated"; readonly personId: string }
  /**
   * Another subject of the SSO has this email address. Merging the two would give one person's documents to another.
   */
  | { readonly outcome: "email-taken" }
  /** The SSO is not connected any more. */
  | { readonly outcome: "sso-removed" }
  /** The instance already has {@link PEOPLE_PER_INSTANCE}. */
  | { readonly outcome: "no-room" }
  /** The app's request has ended meanwhile: the person was signed out. */
  | { readonly outcome: "request-gone" };
