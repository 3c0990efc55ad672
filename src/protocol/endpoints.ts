/** The path of the APIs' description, which anybody may read. */
export const API_DESCRIPTION_PATH = "/openapi.json";

/** The path of each endpoint of the authorization server, below the issuer. */
export const ENDPOINTS = {
  metadata: "/.well-known/oauth-authorization-server",
  openidConfiguration: "/.well-known/openid-configuration",
  pushedRequest: "/oauth/par",
  authorization: "/oauth/authorize",
  callback: "/oauth/callback",
  signIn: "/oauth/sign-in",
  consent: "/oauth/consent",
  token: "/oauth/token",
  registration: "/oauth/register",
  revocation: "/oauth/revoke",
  introspection: "/oauth/introspect",
  jwks: "/oauth/jwks",
  userInfo: "/oauth/userinfo",
  backChannelLogout: "/oauth/backchannel-logout",
  tokenRevocation: "/oauth/global-token-revocation",
  securityEvents: "/signals/events",
} as const;

/** Checks whether people come back to a path from an SSO. The paths of all SSOs but the first end with a number. */
export function isCallback(path: string): boolean {
  return path === ENDPOINTS.callback || path.startsWith(`${ENDPOINTS.callback}/`);
}
