/** An authorization request that was checked: what the person will be asked, and where the answer goes. */
export interface AuthorizationRequest {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** In the spelling that was asked for. */
  readonly scope: readonly string[];
  readonly resource: string;
  readonly codeChallenge: string;
  /** Whether the person came from our own site or typed the address: nobody else's page sent them here. */
  readonly isOwnNavigation: boolean;
  /** Whether the client wants the person to be asked, whatever is remembered. */
  readonly wantsConsent: boolean;
  /** Passed on to the SSO. */
  readonly prompt: string | undefined;
  readonly maxAge: string | undefined;
  readonly loginHint: string | undefined;
}
