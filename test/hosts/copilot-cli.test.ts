import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

/** A free port against the port of its document (sas-mcp-server#58). */
replay({
  name: "Copilot CLI",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://github.com/copilot/oauth/client-metadata.json",
        client_name: "GitHub Copilot CLI",
        redirect_uris: ["http://127.0.0.1:8080/callback"],
      },
    },
    {
      by: "registration",
      metadata: { ...USUAL, client_name: "GitHub Copilot CLI", redirect_uris: ["http://127.0.0.1/callback"] },
    },
  ],
  redirectUri: "http://127.0.0.1:60123/callback",
  scope: withOfflineAccess,
  revision: "2025-11-25",
});
