import type { AppNames } from "#app-access/app-access.ts";
import type { Scope } from "#protocol/scopes.ts";
import type { ProvedRequest, TokenScheme } from "#dpop/dpop-proof.ts";
import type { WaitUntil } from "#platform/wait-until.ts";

/** The caller of the Client API: always a person or a service account, through some credential. */
export interface Caller {
  readonly personId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The resource that an own token is for (RFC 8707); tokens of other kinds are for all of the Client API. */
  readonly resource?: string;
  /** The app that an own token was issued to. */
  readonly clientId?: string;
  readonly grantId?: string;
  /** The key that the token is bound to; absent for a bearer token. */
  readonly keyThumbprint?: string | undefined;
  /** The names, in rules about who may use it and what it may search, of the app and of those from which it has the access. */
  readonly apps: readonly AppNames[];
  /** Scopes that the app's rules don't allow this person, whether or not the token has them. */
  readonly withheld?: readonly Scope[];
}

/** The credentials of a request that the gate reads. */
export interface Credentials {
  /** The text in place of the token, unchecked. It is enough to recognise, character by character, a token that was verified before. */
  readonly presented: string | undefined;
  /** The token, whose form is checked. @throws {ApiError} for a header that is not one token */
  readonly token: string | undefined;
  readonly scheme: TokenScheme;
  /** The request as a proof must name it. */
  readonly proved: ProvedRequest;
  /** Whether the request announces an external identity provider's token: `X-<Service>-Auth-Type: OAUTH`. */
  readonly announcedAsExternal: boolean;
  /** Whether the request is to the MCP endpoint, where administrators can let an issuer's tokens in unannounced. */
  readonly isAtMcp?: boolean;
  /** The name of that header, to tell a developer what to add. */
  readonly authTypeHeader: string;
  /** The address that the request came from. */
  readonly address: string;
  readonly waitUntil: WaitUntil;
}

/** What is needed to examine a token, besides the token. Whether the sender holds its key is checked afterwards. */
export type ExaminedCredentials = Omit<Credentials, "presented" | "token" | "scheme" | "proved">;
