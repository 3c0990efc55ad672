import type { ResourcePath } from "#protocol/resource-indicator.ts";
import type { Scope } from "#protocol/scopes.ts";

/** The scope that each call of the Client API needs. A route that is not in this table cannot be mounted behind the gate, and every
 * one in it is a resource with metadata of its own. */
export const ROUTE_SCOPES = {
  "POST /rest/api/v1/search": "SEARCH",
  "POST /rest/api/v1/chat": "CHAT",
  "POST /rest/api/v1/getdocuments": "DOCUMENTS",
} as const satisfies Partial<Record<`${"GET" | "POST"} ${ResourcePath}`, Scope>>;

export type ClientApiRoute = keyof typeof ROUTE_SCOPES;
