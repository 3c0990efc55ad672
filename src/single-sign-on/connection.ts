import { objectionToIssuer } from "#issuers/safe-issuer.ts";
import { problemOf } from "#platform/members.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type SingleSignOn, singleSignOnSchema } from "#settings/settings.ts";
import * as v from "valibot";

/** An instance's connection to its SSO, as an administrator enters it. */
export type SingleSignOnConnection = Omit<SingleSignOn, "sealedClientSecret"> & {
  /** If absent, the stored secret is kept. */
  readonly clientSecret?: string | undefined;
};

const { sealedClientSecret: _sealed, ...entries } = singleSignOnSchema.entries;

/** Limits the length of each part. */
export const connectionSchema = v.object({
  ...entries,
  clientSecret: v.optional(v.pipe(v.string(), v.maxLength(1000))),
});

/** Returns the connection that a new one takes the place of: that of its issuer, or else the only one. */
export function replacedBy(
  ssos: readonly SingleSignOn[],
  { issuer }: Pick<SingleSignOn, "issuer">,
): SingleSignOn | undefined {
  return ssos.find((sso) => sso.issuer === issuer) ?? (ssos.length === 1 ? ssos[0] : undefined);
}

/**
 * Checks a new connection to an SSO.
 *
 * The stored secret is kept only for the same client and issuer. With another issuer, it would be disclosed to that issuer.
 *
 * @param ssos the current connections
 * @throws {AdministrationRefused} if the issuer is invalid or would let everybody in, or something is missing or too long
 */
export function requireConnection(ssos: readonly SingleSignOn[], connection: SingleSignOnConnection): void {
  const objection = objectionToIssuer("The SSO's issuer", connection);
  if (objection !== undefined) throw new AdministrationRefused(objection, "issuer");
  if (connection.clientId === "") throw new AdministrationRefused("The SSO's client id is empty", "clientId");
  if (connection.clientSecret === "") {
    throw new AdministrationRefused("The SSO's client secret is empty", "clientSecret");
  }
  const isKept = ssos.some(({ issuer, clientId }) => issuer === connection.issuer && clientId === connection.clientId);
  if (connection.clientSecret === undefined && !isKept) {
    throw new AdministrationRefused(
      "Enter the client secret: none is stored for this client and issuer",
      "clientSecret",
    );
  }
  if (!connection.scopes.split(" ").includes("openid")) {
    throw new AdministrationRefused(
      "The scopes must start with openid: without it, the SSO sends no ID token",
      "scopes",
    );
  }
  for (const member of ["emailClaim", "groupsClaim"] as const) {
    if (connection[member] === "") throw new AdministrationRefused("Enter the name of a claim", member);
  }
  const parsed = v.safeParse(connectionSchema, connection);
  if (parsed.success) return;
  const [issue] = parsed.issues;
  const member = v.getDotPath(issue)?.split(".")[0];
  throw new AdministrationRefused(`${member ?? "The connection"} is not acceptable: ${problemOf(issue)}`, member);
}
