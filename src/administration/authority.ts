import type { TokenHash } from "#crypto/secrets.ts";
import { type Role, ROLE_SCOPES, roleName, rolesWith } from "#people/role.ts";
import { ADMIN_SCOPES, type AdminScope } from "#protocol/admin-scopes.ts";
import { ApiError } from "#protocol/errors.ts";

/**
 * The right that an act may need: a scope, or one of two rights that no token has. These are `owner`, to decide about owners and
 * where documents are stored, and `operator`, to run the deployment with its master keys.
 */
export type Needed = AdminScope | "owner" | "operator";

/** The decisions that somebody may make. */
export interface Authority {
  readonly scopes: ReadonlySet<string>;
  /** Returns the error message for somebody who lacks a scope. */
  readonly lacking: (scope: Needed) => string;
  /** When the authority ends; `null`: never. No token that it issues expires later. */
  readonly expiresAt: number | null;
  /**
   * The CIDR blocks from which the authority works. Every token that it issues is limited to them too. Empty: any network.
   */
  readonly networks: readonly string[];
  /**
   * The secret that a program uses, and the number of tokens that its token descends from. Absent for people and commands.
   */
  readonly secret?: { readonly hash: TokenHash; readonly origins: number };
  /** When the person who decides signed in. Absent for programs and commands. */
  readonly signedInAt?: number;
}

/** The authority of the operator: commands that have the master keys. */
export const OPERATOR: Authority = {
  scopes: new Set<Needed>([...ADMIN_SCOPES, "owner", "operator"]),
  lacking: (scope) => `The operator lacks ${scope}`,
  expiresAt: null,
  networks: [],
};

/** Returns the authority of a person who is signed in to the console. @param signedInAt when, in seconds */
export function authorityOfRole(role: Role, signedInAt?: number): Authority {
  const scopes = new Set<Needed>(ROLE_SCOPES[role]);
  if (role === "owner") scopes.add("owner");
  return {
    scopes,
    lacking: (scope) => `Your role, ${roleName(role)}, doesn’t allow this: ask an ${rolesWith(scope)}`,
    expiresAt: null,
    networks: [],
    ...(signedInAt === undefined ? {} : { signedInAt }),
  };
}

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

/** Requires a scope. @throws {ApiError} `insufficient_scope`, with a description of who has it */
export function requireScope({ scopes, lacking }: Authority, scope: Needed): void {
  if (scopes.has(scope)) return;
  throw new ApiError("insufficient_scope", {
    reason: "admin_scope_lacking",
    ...(scope === "owner" ? {} : { scopes: [scope] }),
    description: lacking(scope),
  });
}
