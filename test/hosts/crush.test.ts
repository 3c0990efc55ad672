import { replay, withOfflineAccess } from "../support/host-replay.ts";

const REDIRECT_URI = "http://localhost:40704/callback";

/**
 * charmbracelet/crush `internal/oauth/mcp/handler.go`, commit 1b989a9, on the Go SDK. It names no authentication method, so
 * it gets a secret (RFC 7591 §2), which it sends in the Authorization header.
 */
replay({
  name: "Crush",
  registrations: [
    {
      by: "registration",
      metadata: {
        client_name: "Crush",
        redirect_uris: [REDIRECT_URI],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    },
  ],
  redirectUri: REDIRECT_URI,
  scope: withOfflineAccess,
  revision: "2025-11-25",
});
