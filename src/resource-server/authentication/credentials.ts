import type { ProvedRequest } from "#dpop/dpop-proof.ts";
import type { TokenScheme } from "#dpop/token-use.ts";
import type { WaitUntil } from "#platform/wait-until.ts";

/** Which of the caller's credentials the gate looks at. */
export interface Credentials {
  /** What stands where a token stands, unchecked: enough to meet again what was checked before, character by character. */
  readonly presented: string | undefined;
  /** The token, checked for its form. @throws {ApiError} for a header that is not one token */
  readonly token: string | undefined;
  readonly scheme: TokenScheme;
  /** The request as a proof must name it. */
  readonly proved: ProvedRequest;
  /** Whether the request announces an external identity provider's token: `X-<Service>-Auth-Type: OAUTH`. */
  readonly announcedAsExternal: boolean;
  /** The name of that header, for telling a developer what to add. */
  readonly authTypeHeader: string;
  /** Where the request came from. */
  readonly address: string;
  readonly waitUntil: WaitUntil;
}

/** What examining a token needs besides the token. Its key's holder is checked afterwards. */
export type ExaminedCredentials = Omit<Credentials, "presented" | "token" | "scheme" | "proved">;
