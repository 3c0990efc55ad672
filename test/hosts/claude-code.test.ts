import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

/** anthropics/claude-code#41011, #37747: the document has no port, and the request has any free one. */
replay({
  name: "Claude Code",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://claude.ai/oauth/claude-code-client-metadata",
        client_name: "Claude Code",
        redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
      },
    },
    {
      by: "registration",
      metadata: {
        ...USUAL,
        client_name: "Claude Code (acme)",
        application_type: "native",
        redirect_uris: ["http://localhost:3118/callback"],
      },
    },
  ],
  redirectUri: "http://localhost:3118/callback",
  scope: withOfflineAccess,
  revision: "2025-11-25",
  headers: { "User-Agent": "claude-code/2.1.200" },
});
