import { objectionToIssuer } from "#issuers/safe-issuer.ts";
import { problemOf } from "#platform/members.ts";
import { foldDomain, isEmailDomain } from "#protocol/email-address.ts";
import { AdministrationRefused } from "#protocol/administration-refused.ts";
import { type SingleSignOn, singleSignOnSchema } from "#settings/settings.ts";
import * as v from "valibot";
import { labelOf, ssoOfIssuer } from "./choosing.ts";

/** An instance's connection to its SSO, as an administrator enters it. */
export type SingleSignOnConnection = Omit<SingleSignOn, "sealedClientSecret" | "number"> & {
  /** If absent, the stored secret is kept. */
  readonly clientSecret?: string | undefined;
};

const { sealedClientSecret: _sealed, number: _number, ...entries } = singleSignOnSchema.entries;

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
  return ssoOfIssuer(ssos, issuer) ?? (ssos.length === 1 ? ssos[0] : undefined);
}

/** The most SSOs of an instance. Each has a button on the sign-in page. */
export const SINGLE_SIGN_ONS_MAX = 4;

/**
 * Checks that two SSOs can't be taken for each other: each has email domains of its own, and groups that have its issuer in their
 * names.
 *
 * @param others the instance's other connections
 * @throws {AdministrationRefused}
 */
export function requireApart(others: readonly SingleSignOn[], { issuer, emailDomains = [] }: Registration): void {
  if (others.length === 0) return;
  if (others.length >= SINGLE_SIGN_ONS_MAX) {
    throw new AdministrationRefused(`An instance has at most ${SINGLE_SIGN_ONS_MAX} single sign-ons`);
  }
  if (emailDomains.length === 0) {
    const message = "Enter the email domains of its people: with several single sign-ons, each needs its own";
    throw new AdministrationRefused(message, "emailDomains");
  }
  for (const other of others) {
    const name = labelOf(other);
    if (other.issuer.toLowerCase() === issuer.toLowerCase()) {
      throw new AdministrationRefused(`${other.issuer} is already connected`, "issuer");
    }
    if (!other.emailDomains?.length) {
      const message = `First enter the email domains of ${name}: with several single sign-ons, each needs its own`;
      throw new AdministrationRefused(message, "emailDomains");
    }
    const taken = new Set(other.emailDomains.map(hostOf));
    const shared = emailDomains.find((domain) => taken.has(hostOf(domain)));
    if (shared !== undefined) {
      throw new AdministrationRefused(`The people of ${shared} already sign in with ${name}`, "emailDomains");
    }
  }
}

type Registration = Pick<SingleSignOn, "issuer" | "emailDomains">;

/** Returns the host that a domain is, however its letters are written: in Unicode or in Punycode. */
function hostOf(domain: string): string {
  return new URL(`https://${domain}`).hostname;
}

/** Returns a connection as it is stored: domains are written in the same way as in email addresses. */
export function normalised<Connection extends SingleSignOnConnection>(connection: Connection): Connection {
  const { emailDomains = [], label, ...others } = connection;
  const domains = [...new Set(emailDomains.map(foldDomain))];
  return {
    ...others,
    ...(domains.length > 0 && { emailDomains: domains }),
    ...(label !== undefined && { label }),
  } as Connection;
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
  const wrong = connection.emailDomains?.find((domain) => !isEmailDomain(domain) || !URL.canParse(`https://${domain}`));
  if (wrong !== undefined) {
    throw new AdministrationRefused(`${wrong} is not an email domain: write acme.example`, "emailDomains");
  }
  const parsed = v.safeParse(connectionSchema, connection);
  if (parsed.success) return;
  const [issue] = parsed.issues;
  const member = v.getDotPath(issue)?.split(".")[0];
  throw new AdministrationRefused(`${member ?? "The connection"} is not acceptable: ${problemOf(issue)}`, member);
}
