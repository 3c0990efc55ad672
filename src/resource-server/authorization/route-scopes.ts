import type { ResourcePath } from "#protocol/resource-indicator.ts";
import { API_SCOPES, type Scope } from "#protocol/scopes.ts";

/**
 * The scope that each call of the Client API needs. Only a route in this table can be mounted behind the gate, and each is a
 * resource with its own metadata.
 */
export const ROUTE_SCOPES = {
  "POST /rest/api/v1/search": "SEARCH",
  "POST /rest/api/v1/chat": "CHAT",
  "POST /rest/api/v1/getdocuments": "DOCUMENTS",
} as const satisfies Partial<Record<`${"GET" | "POST"} ${ResourcePath}`, Scope>>;

export type ClientApiRoute = keyof typeof ROUTE_SCOPES;

/**
 * The scopes that all tools together need. The first challenge names them all, because few hosts come back for another scope when
 * a later call is refused (docs/decisions/0016-mcp-endpoint.md).
 */
export const MCP_SCOPES: readonly Scope[] = API_SCOPES;
