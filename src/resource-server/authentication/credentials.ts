import type { ProvedRequest } from "#dpop/dpop-proof.ts";
import type { TokenScheme } from "#dpop/token-use.ts";
import type { WaitUntil } from "#platform/wait-until.ts";

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
