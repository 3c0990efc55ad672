import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

/** Its document names one port, and it listens on another (github/copilot-cli#4793). dozigden/boardoil#11 shows its registration. */
replay({
  name: "GitHub Copilot CLI",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: "https://github.com/copilot/cli/client-metadata.json",
        client_name: "GitHub Copilot CLI",
        application_type: "native",
        redirect_uris: ["http://127.0.0.1:33418/"],
      },
    },
    {
      by: "registration",
      metadata: {
        ...USUAL,
        client_name: "GitHub Copilot CLI",
        application_type: "native",
        redirect_uris: ["http://127.0.0.1:60123/"],
      },
    },
  ],
  redirectUri: "http://127.0.0.1:60123/",
  scope: withOfflineAccess,
  revision: "2025-11-25",
});
