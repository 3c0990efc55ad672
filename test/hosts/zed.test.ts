import { replay, USUAL } from "../support/host-replay.ts";

/**
 * zed-industries/zed `crates/context_server/src/oauth.rs`, commit 04afc35, and its document as others fetched it on 2026-09-21: it
 * has no port, and the request has one. It registers for the scopes of the challenge, requests only these, and names the
 * resource in every request.
 */
replay({
  name: "Zed",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://zed.dev/oauth/client-metadata.json",
        client_name: "Zed",
        client_uri: "https://zed.dev",
        redirect_uris: ["http://127.0.0.1/callback"],
      },
    },
    {
      by: "registration",
      metadata: {
        ...USUAL,
        client_name: "Zed",
        redirect_uris: ["http://127.0.0.1:51897/callback"],
        scope: "SEARCH CHAT DOCUMENTS",
      },
    },
  ],
  redirectUri: "http://127.0.0.1:51897/callback",
  scope: (challenged) => challenged,
  revision: "2025-11-25",
  headers: { "User-Agent": "Zed" },
});
