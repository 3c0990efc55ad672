import { replay, USUAL, withOfflineAccess } from "../support/host-replay.ts";
import { ORIGIN } from "../support/world.ts";

/** The server's id is the first nine bytes of the SHA-256 of its URL (openai/codex#38089). */
const ID = "XiBdNjqmFIja";

/** One document per server, a separate path after the free port (openai/codex#30460), and no resource in the refresh (#33403). */
replay({
  name: "Codex",
  registrations: [
    {
      by: "document",
      document: {
        ...USUAL,
        client_id: `https://chatgpt.com/oauth/codex/${ID}/client.json`,
        client_name: "Codex",
        redirect_uris: [`http://127.0.0.1/callback/${ID}`],
      },
    },
    {
      by: "registration",
      metadata: {
        ...USUAL,
        client_name: "Codex",
        application_type: "native",
        redirect_uris: [`http://127.0.0.1:37819/callback/${ID}`],
      },
    },
  ],
  redirectUri: `http://127.0.0.1:37819/callback/${ID}`,
  scope: withOfflineAccess,
  resource: { authorize: [`${ORIGIN}/mcp`, `${ORIGIN}/mcp`], refresh: null },
  revision: "2025-06-18",
  headers: { "User-Agent": "codex-mcp-client/0.153.0" },
});
