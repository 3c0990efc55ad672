import type { TokenHash } from "#crypto/hash.ts";
import { type Role, ROLE_SCOPES, roleName, rolesWith } from "#people/role.ts";
import { ADMIN_SCOPES, type AdminScope } from "#protocol/admin-scopes.ts";
import { ApiError } from "#protocol/errors.ts";

/**
 * What an act may need: a scope, or what no token has: `owner`, which decides about owners and where documents are, and `operator`, which
 * runs the deployment and has its master keys.
 */
export type Needed = AdminScope | "owner" | "operator";

/** What somebody may decide. */
export interface Authority {
  readonly scopes: ReadonlySet<string>;
  /** What a refusal says to somebody who lacks a scope. */
  readonly lacking: (scope: Needed) => string;
  /** When it ends; no token that it issues ends later. */
  readonly expiresAt: number | null;
  /** CIDR blocks that it holds in, and every token that it issues; empty: any. */
  readonly networks: readonly string[];
  /** The secret with which a program acts, and through how many tokens it came to be; left out for people and commands. */
  readonly secret?: { readonly hash: TokenHash; readonly origins: number };
}

/** Who runs the deployment: commands with the master keys. */
export const OPERATOR: Authority = {
  scopes: new Set<Needed>([...ADMIN_SCOPES, "owner", "operator"]),
  lacking: (scope) => `The operator lacks ${scope}`,
  expiresAt: null,
  networks: [],
};

/** Who is signed in to the console. */
export function authorityOfRole(role: Role): Authority {
  const scopes = new Set<Needed>(ROLE_SCOPES[role]);
  if (role === "owner") scopes.add("owner");
  return {
    scopes,
    lacking: (scope) => `Your role, ${roleName(role)}, doesn’t allow this: ask an ${rolesWith(scope)}`,
    expiresAt: null,
    networks: [],
  };
}

/** A program with an admin token. */
export function authorityOfToken(token: {
  readonly scopes: readonly string[];
  readonly expiresAt: number | null;
  readonly networks: readonly string[];
  readonly secretHash: TokenHash;
  readonly origins: number;
}): Authority {
  const { scopes, expiresAt, networks, secretHash, origins } = token;
  return {
    scopes: new Set(scopes),
    lacking: (scope) =>
      scope === "owner"
        ? "Tokens can't do what only owners may. Ask an owner to do it in the console."
        : `The token lacks the scope ${scope}: it has ${scopes.join(" ") || "none"}`,
    expiresAt,
    networks,
    secret: { hash: secretHash, origins },
  };
}

/** @throws {ApiError} `insufficient_scope`, saying who may */
export function requireScope({ scopes, lacking }: Authority, scope: Needed): void {
  if (scopes.has(scope)) return;
  throw new ApiError("insufficient_scope", {
    reason: "admin_scope_lacking",
    ...(scope === "owner" ? {} : { scopes: [scope] }),
    description: lacking(scope),
  });
}
