import type { ListSpec } from "#platform/listing.ts";
import { SERVICE_TOKEN_KINDS } from "./service-token.ts";

/** The filters and sort orders of the list of tokens. */
export const TOKEN_LIST = {
  filters: { kind: SERVICE_TOKEN_KINDS, createdBy: null, state: ["running", "ended"] },
  sorts: ["createdAt", "name", "expiresAt", "lastUsedAt"],
  isNewestFirst: true,
  words: {
    one: "token",
    search: "Name or person contains",
    filters: {
      state: ["State", { running: "Active", ended: "Ended" }],
      kind: ["Kind", { indexing: "Pipelines", "client-api": "Client API", admin: "Admin API", scim: "SCIM" }],
    },
    sorts: { "-createdAt": "Newest", name: "Name", expiresAt: "Expires first", "-lastUsedAt": "Last used" },
  },
} as const satisfies ListSpec;
