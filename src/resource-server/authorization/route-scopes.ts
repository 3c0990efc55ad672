import type { ResourcePath } from "#protocol/resource-indicator.ts";
import { API_SCOPES, type Scope } from "#protocol/scopes.ts";

/** The scope that each call of the Client API needs. A route that is not in this table cannot be mounted behind the gate, and every
 * one in it is a resource with metadata of its own. */
export const ROUTE_SCOPES = {
  "POST /rest/api/v1/search": "SEARCH",
  "POST /rest/api/v1/chat": "CHAT",
  "POST /rest/api/v1/getdocuments": "DOCUMENTS",
} as const satisfies Partial<Record<`${"GET" | "POST"} ${ResourcePath}`, Scope>>;

export type ClientApiRoute = keyof typeof ROUTE_SCOPES;

/**
 * What all tools together need. The first challenge names them all: few hosts come back for one more scope when a later call is
 * refused (docs/decisions/0016-mcp-endpoint.md).
 */
export const MCP_SCOPES: readonly Scope[] = API_SCOPES;
