import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

/** The same for every plugin and tenant: Microsoft's token store keeps the tokens and chooses whose they are. */
const REDIRECT_URI = "https://teams.microsoft.com/api/platform/v1.0/oAuthRedirect";

/**
 * MicrosoftDocs/m365copilot-docs `plugin-authentication-oauth.md` and `plugin-authentication-dynamic-client-registration.md`, commit
 * 90efae84. It needs a secret and uses PKCE. What an administrator enters there has no place for a resource (RFC 8707).
 */
replay({
  name: "Microsoft 365 Copilot",
  registrations: [
    {
      by: "registration",
      metadata: {
        ...USUAL,
        client_name: "Microsoft 365 Copilot",
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: "client_secret_post",
      },
    },
  ],
  redirectUri: REDIRECT_URI,
  scope: withOfflineAccess,
  resource: { authorize: [], token: null, refresh: null },
  revision: "2025-06-18",
});
