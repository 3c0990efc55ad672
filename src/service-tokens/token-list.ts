import type { ListSpec } from "#platform/listing.ts";
import { SERVICE_TOKEN_KINDS } from "./service-token.ts";

/** The filters and sort orders of the list of tokens. */
export const TOKEN_LIST = {
  filters: { kind: SERVICE_TOKEN_KINDS, createdBy: null, state: ["running", "ended"] },
  sorts: ["createdAt", "name", "expiresAt", "lastUsedAt"],
  isNewestFirst: true,
} as const satisfies ListSpec;
