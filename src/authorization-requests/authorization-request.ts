/** An authorization request that was checked: what the person will be asked, and where the answer goes. */
export interface AuthorizationRequest {
  /** The id that its grant will have: what happens on the way is noted under it. */
  readonly grantId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** In the spelling that was asked for. */
  readonly scope: readonly string[];
  readonly resource: string;
  readonly codeChallenge: string;
  /** The key that the code is bound to (`dpop_jkt`, RFC 9449 §10). */
  readonly keyThumbprint: string | undefined;
  /** What an ID token is to repeat. */
  readonly nonce: string | undefined;
  /** Passed on to the SSO. */
  readonly prompt: string | undefined;
  readonly maxAge: string | undefined;
  readonly loginHint: string | undefined;
  /** The languages that the app prefers for this person, best first; for our pages and the SSO's. */
  readonly uiLocales: string | undefined;
}
