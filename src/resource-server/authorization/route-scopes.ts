import type { Scope } from "#protocol/scopes.ts";

/** The scope that each call of the Client API needs. A route that is not in this table cannot be mounted behind the gate. */
export const ROUTE_SCOPES = {
  "POST /rest/api/v1/search": "SEARCH",
} as const satisfies Record<string, Scope>;

export type ClientApiRoute = keyof typeof ROUTE_SCOPES;
