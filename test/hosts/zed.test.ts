import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

/** zed-industries/zed#56210: a document without a port, a request with one. It names the resource on every leg. */
replay({
  name: "Zed",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://zed.dev/oauth/client-metadata.json",
        client_name: "Zed",
        redirect_uris: ["http://127.0.0.1/callback"],
      },
    },
    {
      by: "registration",
      metadata: { ...USUAL, client_name: "Zed", redirect_uris: ["http://127.0.0.1:51897/callback"] },
    },
  ],
  redirectUri: "http://127.0.0.1:51897/callback",
  scope: withOfflineAccess,
  revision: "2025-11-25",
  headers: { "User-Agent": "Zed" },
});
