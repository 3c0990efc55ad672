import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

/** Requests of the official SDK 2's clients in the newest version of the protocol, which has no sessions and no initialize. */
replay({
  name: "a host of SDK 2",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://app.example/client.json",
        client_name: "Notebook",
        redirect_uris: ["http://127.0.0.1/callback"],
      },
    },
  ],
  redirectUri: "http://127.0.0.1:51234/callback",
  scope: withOfflineAccess,
  revision: "2026-07-28",
});
