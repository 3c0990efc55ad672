/** Where the APIs are described, for anybody. */
export const API_DESCRIPTION_PATH = "/openapi.json";

/** Where each endpoint of the authorization server is, below the issuer. */
export const ENDPOINTS = {
  metadata: "/.well-known/oauth-authorization-server",
  openidConfiguration: "/.well-known/openid-configuration",
  pushedRequest: "/oauth/par",
  authorization: "/oauth/authorize",
  callback: "/oauth/callback",
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
