import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";

const CLIENT = {
  ...USUAL,
  client_name: "Visual Studio Code",
  application_type: "native",
  redirect_uris: [
    "http://127.0.0.1/",
    "http://127.0.0.1:33418/",
    "https://vscode.dev/redirect",
    "https://insiders.vscode.dev/redirect",
  ],
};

/** microsoft/vscode `src/vs/base/common/oauth.ts`. It uses another port if its own is taken (microsoft/vscode#278512). */
replay({
  name: "VS Code",
  registrations: [
    {
      by: "document",
      // As others fetched it on 2026-09-21.
      document: {
        ...CLIENT,
        client_id: "https://vscode.dev/oauth/client-metadata.json",
        client_uri: "https://vscode.dev/product",
        redirect_uris: ["http://127.0.0.1:33418/", "https://vscode.dev/redirect"],
        grant_types: [...USUAL.grant_types, "urn:ietf:params:oauth:grant-type:device_code"],
      },
    },
    { by: "registration", metadata: CLIENT },
  ],
  redirectUri: "http://127.0.0.1:51234/",
  scope: withOfflineAccess,
  revision: "2025-11-25",
  // A page of the editor's own shell.
  headers: { Origin: "vscode-file://vscode-app", "User-Agent": "Visual Studio Code/1.123.0" },
});
