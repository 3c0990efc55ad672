import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

/** Its document as others fetched it on 2026-09-21. If documents are off, it registers (aaif-goose/goose#9670). */
replay({
  name: "goose",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://goose-docs.ai/oauth/client-metadata.json",
        client_name: "goose",
        redirect_uris: ["http://127.0.0.1/oauth_callback", "http://[::1]/oauth_callback"],
        code_challenge_methods_supported: ["S256"],
      },
    },
    {
      by: "registration",
      metadata: { ...USUAL, client_name: "goose", redirect_uris: ["http://127.0.0.1:54321/oauth_callback"] },
    },
  ],
  redirectUri: "http://127.0.0.1:54321/oauth_callback",
  scope: withOfflineAccess,
  revision: "2025-11-25",
});
