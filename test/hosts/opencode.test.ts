import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

const LOOPBACK = "http://127.0.0.1:19876/mcp/oauth/callback";

/**
 * Its document (anomalyco/opencode#47737) says `/callback`, but its released versions redirect elsewhere (#50510), and for these
 * the document is refused. So the test replays the fixed document, and the registration of the released versions.
 */
replay({
  name: "opencode",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://opencode.ai/oauth/opencode/client.json",
        client_name: "opencode",
        client_uri: "https://opencode.ai",
        application_type: "native",
        redirect_uris: ["http://127.0.0.1/mcp/oauth/callback", "http://localhost/mcp/oauth/callback"],
        token_endpoint_auth_methods_supported: ["none"],
      },
    },
    { by: "registration", metadata: { ...USUAL, client_name: "opencode", redirect_uris: [LOOPBACK] } },
  ],
  redirectUri: LOOPBACK,
  scope: withOfflineAccess,
  revision: "2025-11-25",
});
