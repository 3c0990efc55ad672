import { replay, USUAL } from "../support/host-replay.ts";
import { ORIGIN } from "../support/world.ts";

const REDIRECT_URI = "https://chatgpt.com/connector_platform_oauth_redirect";

/**
 * developers.openai.com/plugins/build/auth.md. It authenticates itself with a key, requests OpenID scopes, and sometimes names the
 * origin as the resource (garrytan/gbrain#5222).
 */
replay({
  name: "ChatGPT",
  registrations: [
    {
      by: "document",
      hasKey: true,
      document: {
        ...USUAL,
        client_id: "https://chatgpt.com/oauth/client.json",
        client_name: "ChatGPT",
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
        token_endpoint_auth_signing_alg: "RS256",
        jwks_uri: "https://chatgpt.com/oauth/jwks.json",
      },
    },
    { by: "registration", metadata: { ...USUAL, client_name: "ChatGPT", redirect_uris: [REDIRECT_URI] } },
  ],
  redirectUri: REDIRECT_URI,
  scope: (challenged) => `${challenged} offline_access openid email profile`,
  resource: { authorize: [ORIGIN], token: ORIGIN, refresh: ORIGIN },
  revision: "2025-11-25",
  headers: { "User-Agent": "openai-mcp/1.0.0" },
});
