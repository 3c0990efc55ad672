import type { ClientRequest } from "#authorization-server/client-authentication/client-authentication.ts";
import type { ClientCredentials } from "#clients/client.ts";
import type { EndReason } from "#grants/ending.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { ActingApp } from "#protocol/access-token-claims.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import type { OAuthError } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";

/**
 * A grant type of the token endpoint. It finds out who asks, judges its own proof and says what is granted. Everything else is
 * done for all of them in `tokens.ts`: requirements, the resource, keys, rates, the audit and the response.
 */
export type GrantType = (asking: Asking) => Promise<Applicant>;

/** A request of which only the proof of a key was checked (RFC 9449). */
export interface Asking {
  readonly instance: RequestInstance;
  readonly request: ClientRequest;
  /** The key that the tokens will be bound to. */
  readonly keyThumbprint: string | undefined;
  readonly now: number;
}

/** The person and the client of a grant, for the rate limits of refreshes. */
export interface GrantOwner {
  readonly person: string;
  readonly client: string;
}

export interface Applicant {
  /** What the statement that grants compares. */
  readonly credentials: ClientCredentials;
  /** What is required of this client in addition to what the instance requires of all, unless the statement compares it. */
  readonly requirements?: readonly AppRequirement[];
  readonly read: Reader;
}

/** Reads the rest of the request, and returns what judges the proof and uses it up. A malformed request uses nothing up. */
export type Reader = (request: GrantRequest) => Promise<() => Promise<Outcome>>;

/** A request that meets all requirements. */
export interface GrantRequest extends Omit<Asking, "request"> {
  readonly parameters: Parameters;
  readonly credentials: ClientCredentials;
  /** The resource that the request names. */
  readonly resource: string | undefined;
  /** Counts a refresh. */
  readonly requireWithinRate: (owner: GrantOwner) => Promise<void>;
}

/** A grant that is running, narrowed to what the request asks for; or a refusal, perhaps with the grant that it ends. */
export type Outcome =
  | {
      readonly grant: TokenGrant;
      readonly scope?: string | undefined;
      readonly resource?: string | undefined;
      /** The apps through which exchanged access passed. */
      readonly act?: ActingApp;
    }
  | {
      readonly refusal: OAuthError;
      readonly grantId?: string | undefined;
      /** A grant whose code or refresh token was used twice: one of the two users is a thief (RFC 9700 §4.14.2). */
      readonly copied?: { readonly grant: TokenGrant; readonly reason: EndReason } | undefined;
    };
