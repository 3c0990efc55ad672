/** A checked authorization request: what the person will be asked, and where the response goes. */
export interface AuthorizationRequest {
  /** The id that its grant will have. Steps before the grant are recorded under it. */
  readonly grantId: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** In the spelling of the request. */
  readonly scope: readonly string[];
  readonly resource: string;
  readonly codeChallenge: string;
  /** The key that the code is bound to (`dpop_jkt`, RFC 9449 §10). */
  readonly keyThumbprint: string | undefined;
  /** The nonce that an ID token repeats. */
  readonly nonce: string | undefined;
  /** Passed on to the SSO. */
  readonly prompt: string | undefined;
  readonly maxAge: string | undefined;
  readonly loginHint: string | undefined;
  /** The issuer of the SSO where the person signs in; absent until they have chosen one. */
  readonly ssoIssuer?: string | undefined;
  /** The languages that the app prefers for this person, best first; for our pages and the SSO's. */
  readonly uiLocales: string | undefined;
}
