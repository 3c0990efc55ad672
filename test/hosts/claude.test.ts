import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

const REDIRECT_URI = "https://claude.ai/api/mcp/auth_callback";
const CLIENT = {
  ...USUAL,
  client_name: "Claude",
  redirect_uris: [REDIRECT_URI, "https://claude.com/api/mcp/auth_callback"],
};

/** claude.com/docs/connectors/building/authentication; anthropics/claude-ai-mcp#96 shows one of its authorization requests. */
replay({
  name: "Claude (web, desktop)",
  registrations: [
    {
      by: "document",
      // As others fetched it on 2026-09-21.
      document: {
        ...USUAL,
        client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
        client_name: "Claude",
        client_uri: "https://claude.ai",
        redirect_uris: [REDIRECT_URI],
        grant_types: [...USUAL.grant_types, "urn:ietf:params:oauth:grant-type:jwt-bearer"],
      },
    },
    {
      by: "registration",
      metadata: { ...CLIENT, token_endpoint_auth_method: "client_secret_post" },
    },
  ],
  redirectUri: REDIRECT_URI,
  scope: withOfflineAccess,
  authorize: [["prompt", "consent"]],
  recorded: { by: "registration", page: "claude.md" },
  revision: "2025-11-25",
  headers: { "User-Agent": "Claude-User" },
});
