import { ADMIN_SCOPES, type AdminScope } from "#protocol/admin-scopes.ts";
import { ApiError } from "#protocol/errors.ts";

/** What somebody may decide. */
export interface Authority {
  readonly scopes: ReadonlySet<string>;
  /** How a refusal names what lacks a scope, such as "The token". */
  readonly name: string;
  /** When it ends; no token that it issues ends later. */
  readonly expiresAt: number | null;
  /** CIDR blocks that it holds in, and every token that it issues; empty: any. */
  readonly networks: readonly string[];
}

/** Who is signed in to the console. */
export const ADMINISTRATOR: Authority = {
  scopes: new Set(ADMIN_SCOPES),
  name: "The administrator",
  expiresAt: null,
  networks: [],
};

/** Who runs the deployment: commands with the master keys. */
export const OPERATOR: Authority = {
  scopes: new Set([...ADMIN_SCOPES, "operator"]),
  name: "The operator",
  expiresAt: null,
  networks: [],
};

/** @throws {ApiError} `insufficient_scope`, naming the scope */
export function requireScope({ scopes, name }: Authority, scope: AdminScope | "operator"): void {
  if (scopes.has(scope)) return;
  throw new ApiError("insufficient_scope", {
    reason: "admin_scope_lacking",
    scopes: [scope],
    description: `${name} lacks the scope ${scope}: it has ${[...scopes].join(" ") || "none"}`,
  });
}
