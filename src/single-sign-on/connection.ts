import { objectionToIssuer } from "#issuers/safe-issuer.ts";
import { problemOf } from "#platform/members.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type SingleSignOn, singleSignOnSchema } from "#settings/settings.ts";
import * as v from "valibot";

/** How an instance is connected to its SSO, as an administrator gives it. */
export type SingleSignOnConnection = Omit<SingleSignOn, "sealedClientSecret"> & {
  /** Absent: the stored one is kept. */
  readonly clientSecret?: string | undefined;
};

const { sealedClientSecret: _sealed, ...entries } = singleSignOnSchema.entries;

/** How long each part may be. */
export const connectionSchema = v.object({
  ...entries,
  clientSecret: v.optional(v.pipe(v.string(), v.maxLength(1000))),
});

/**
 * Whether a connection to the SSO may be this one.
 *
 * A secret is kept for the client and issuer that it was given for: sent to another issuer, it would be told to somebody else.
 *
 * @param stored the connection that there is
 * @throws {AdministrationRefused} when the issuer cannot be one or would let everybody in, or something is missing
 */
export function requireConnection(stored: SingleSignOn | null, connection: SingleSignOnConnection): void {
  const objection = objectionToIssuer("The SSO's issuer", connection);
  if (objection !== undefined) throw new AdministrationRefused(objection, "issuer");
  if (connection.clientId === "") throw new AdministrationRefused("The SSO's client id is empty", "clientId");
  if (connection.clientSecret === "") {
    throw new AdministrationRefused("The SSO's client secret is empty", "clientSecret");
  }
  const isKept = stored?.issuer === connection.issuer && stored.clientId === connection.clientId;
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
