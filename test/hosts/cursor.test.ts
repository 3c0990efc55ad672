import { replay, USUAL } from "../support/host-replay.ts";

/** Registers three redirect URIs at once (erp-mafia/accounted#2225, bytebase/bytebase#20510), and uses the one with its own scheme. */
replay({
  name: "Cursor",
  registrations: [
    {
      by: "registration",
      metadata: {
        ...USUAL,
        client_name: "Cursor",
        redirect_uris: [
          "cursor://anysphere.cursor-mcp/oauth/callback",
          "https://www.cursor.com/agents/mcp/oauth/callback",
          "http://localhost:8787/callback",
        ],
      },
    },
  ],
  redirectUri: "cursor://anysphere.cursor-mcp/oauth/callback",
  // It never sends a scope; by its row in the table of hosts, it stays connected all the same.
  scope: () => undefined,
  revision: "2025-06-18",
  headers: { "User-Agent": "Cursor/3.14.0" },
});
