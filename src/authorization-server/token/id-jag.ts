import { requireAuthentic } from "#authorization-server/client-authentication/client-authentication.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { requirementsOf } from "#clients/client-requirements.ts";
import type { Client } from "#clients/client.ts";
import { isDocumentUrl } from "#clients/document-clients.ts";
import type { CompactJwt } from "#crypto/compact-jwt.ts";
import { randomId } from "#crypto/secrets.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { type ExternalIssuer, givesIdJags } from "#issuers/external-issuer.ts";
import { findFault, findSignatureFault, type RefusedKind, requireForeign } from "#issuers/foreign-jwt.ts";
import { signInAccountClaimOf } from "#issuers/vendor-rules.ts";
import { haveRequired } from "#people/directory-claims.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS, statedTime } from "#protocol/numeric-date.ts";
import { inUsualForm, isResource, isWithin } from "#protocol/resource-indicator.ts";
import { parseScopes, type Scope } from "#protocol/scopes.ts";
import { readIdentity, requireFound } from "#single-sign-on/external-identity.ts";
import { SPENT_ID_SECONDS_MAX } from "#spent-ids/spent-ids.ts";
import { addAssertedGrant, asGrantError, PROOF_REQUIRED, refused, requireScope } from "./asserted-grant.ts";
import type { Applicant, Asking } from "./grant-type.ts";

const UNSIGNED = "The assertion is not signed by a key that its issuer publishes";

/** An identity assertion. It may not be for any other server (§4.3). */
export const ID_JAG: RefusedKind = {
  types: ["oauth-id-jag+jwt"],
  lifetimeSecondsMax: SPENT_ID_SECONDS_MAX - CLOCK_TOLERANCE_SECONDS,
  ageSecondsMax: Infinity,
  refusals: {
    "algorithm-not-allowed": ["external_algorithm_not_allowed", "The assertion's algorithm is not allowed"],
    "key-unnamed": ["external_key_unnamed", "The assertion has no kid"],
    "key-unknown": ["external_signature_wrong", UNSIGNED],
    "signature-wrong": ["external_signature_wrong", UNSIGNED],
    "other-type": ["assertion_type_wrong", "The assertion is no identity assertion"],
    "other-key": ["assertion_of_another_key", PROOF_REQUIRED],
    event: ["assertion_type_wrong", "The assertion describes an event"],
    "other-audience": ["id_jag_audience_wrong", "The assertion's audience must be {audience} alone"],
    expired: ["id_jag_expired", "The assertion has expired, or doesn't say when it does (exp): get a new one"],
    "too-long": ["id_jag_too_long", "The assertion must expire within an hour"],
    "not-recent": ["id_jag_expired", "The assertion needs exp and iat"],
    early: ["id_jag_not_yet_valid", "The assertion is not valid yet: check its issuer's clock"],
    "no-id": ["id_jag_id_malformed", "The assertion needs an id of its own (jti)"],
  },
};

/**
 * Grants access for a person by an identity provider's assertion, without a consent page
 * (draft-ietf-oauth-identity-assertion-authz-grant-04). Until its signature is verified, nothing in it is trusted except the issuer,
 * which selects the key.
 */
export function idJagGrant(services: OAuthServices) {
  const { appAccess, clients, documentClients, externalPeople, issuerKeys, spentIds } = services;

  /** Reads the document of a client that may be new here. Documents are fetched only from addresses that an administrator listed. */
  async function makeKnown(
    instance: RequestInstance,
    jwt: CompactJwt,
    beforeFetch: () => Promise<void>,
  ): Promise<void> {
    const { client_id: clientId } = jwt.payload;
    if (typeof clientId !== "string" || !isDocumentUrl(clientId)) return;
    const isListed = idJagIssuerOf(instance, jwt)?.clientIds.includes(clientId) ?? false;
    if (!isListed || !instance.policy.settings.clientIdMetadataDocuments) return;
    await documentClients.find(instance.policy, clientId, beforeFetch, isListed);
  }

  return async (jwt: CompactJwt, { instance, request, keyThumbprint, now }: Asking): Promise<Applicant> => {
    const { issuer: here, policy } = instance;
    const { instanceId } = policy;
    const { payload } = jwt;
    await makeKnown(instance, jwt, request.beforeStranger);
    const credentials = await requireAuthentic(services, instance, request);
    const { clientId } = credentials;
    const client = await ofConnection({ clientId }, async () =>
      requireVouchedFor(await clients.findEnabled(instanceId, clientId)),
    );

    return {
      credentials,
      requirements: requirementsOf(client, policy.settings),
      read: async (asked) => async () => {
        const issuer = idJagIssuerOf(instance, jwt);
        if (!issuer) {
          throw refused(
            "id_jag_issuer_unknown",
            "The issuer's identity assertions are not accepted: ask an administrator",
          );
        }
        const { id, goodUntil } = await requireForeign(
          jwt,
          ID_JAG,
          // A slash after the origin means the same URL, and URL libraries add it by themselves.
          { audiences: [here, `${here}/`], keyThumbprint, now },
          () => asGrantError(() => findSignatureFault(jwt, issuer, issuer.algorithms, issuerKeys, request.waitUntil)),
          refused,
        );
        requireClient(payload["client_id"], clientId, issuer);
        if (!haveRequired(payload, issuer.requiredClaims)) {
          throw refused(
            "external_required_claim_differs",
            "The assertion belongs to another organisation of its issuer",
          );
        }
        if (payload["authorization_details"] !== undefined) {
          // They would narrow the grant in a way that this server does not enforce.
          throw refused("id_jag_with_details", "authorization_details are not supported: use scope");
        }
        const scopes = scopesIn(payload["scope"]);
        const resource = resourceIn(payload["resource"], asked.resource, here);
        const identity = await asGrantError(() => readIdentity(payload, asAssertion(issuer)));
        const sender = issuer.issuer;
        if (!(await spentIds.spend({ instanceId, purpose: "id_jag", sender, id, expiresAt: goodUntil }))) {
          throw refused("id_jag_replayed", "The assertion was used before: get a new one");
        }
        const { auth_time: authenticatedAt, iat } = payload;
        const issuedAt = statedTime(iat, now);
        const found = await externalPeople.find(instanceId, identity, issuedAt, randomId(), now);
        const personId = await asGrantError(() => requireFound(found, issuer, iat));
        const ofApp = await appAccess.scopesFor(policy, client, { personId });
        const allowed = issuer.scopes.filter((scope) => ofApp.includes(scope) && (scopes?.includes(scope) ?? true));
        return addAssertedGrant(services.tokenGrants, asked, {
          personId,
          scope: requireScope(request.parameters, allowed),
          resource,
          assertedBy: sender,
          signedInAt: statedTime(authenticatedAt, issuedAt),
          basis: { policyVersion: policy.version, issuedAt: Number(iat) },
        });
      },
    };
  };
}

/** Requires a client that an administrator created, or listed by its document's address. */
function requireVouchedFor(client: Client | null): Client {
  // A service account has no redirect URI: it never acts for a person.
  if (client && client.kind !== "dynamic" && client.redirectUris.length > 0) return client;
  throw new OAuthError("unauthorized_client", {
    reason: "client_not_vouched_for",
    description: "Only an app that an administrator created or listed can use this grant",
  });
}

/**
 * Finds the issuer that an assertion names, if an administrator lets it assert identities. It is trusted once the signature is
 * verified.
 */
function idJagIssuerOf({ policy }: RequestInstance, { payload }: CompactJwt): ExternalIssuer | undefined {
  const { iss } = payload;
  const issuer = typeof iss === "string" ? policy.externalIssuers.get(iss) : undefined;
  return issuer && givesIdJags(issuer) ? issuer : undefined;
}

/** Checks the type of a JWT: nothing that was signed for another purpose is an assertion. */
export function isIdJag(jwt: CompactJwt): boolean {
  return !findFault(jwt, ID_JAG, { audiences: [], now: 0 }, ["type"]);
}

/** Adapts an issuer to identity assertions, which name people as ID tokens do and not as access tokens do. */
function asAssertion(issuer: ExternalIssuer): ExternalIssuer {
  const accountClaim = signInAccountClaimOf(issuer);
  return { ...issuer, accountClaim, personClaim: issuer.personBy === "subject" ? "sub" : issuer.personClaim };
}

/** Requires that the assertion is for the client that presents it, and that an administrator has listed that client. */
function requireClient(named: unknown, clientId: string, { clientIds }: ExternalIssuer): void {
  if (named !== clientId) throw refused("id_jag_of_another_client", "The assertion was issued for another client");
  if (!clientIds.includes(clientId)) {
    throw refused("id_jag_client_not_listed", "An administrator has not listed this client for the issuer");
  }
}

function scopesIn(scope: unknown): readonly Scope[] | null {
  if (scope === undefined) return null;
  if (typeof scope === "string") return parseScopes(scope);
  throw refused("id_jag_scope_malformed", "The assertion's scope must be a string");
}

/**
 * Returns the resource to grant: the requested one, which must be within one of the assertion's; if none is requested, the
 * assertion's first.
 */
function resourceIn(claim: unknown, wanted: string | undefined, issuer: string): string {
  if (claim === undefined) return wanted ?? issuer;
  const named: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const known = named
    .map((resource) => (typeof resource === "string" ? inUsualForm(resource) : resource))
    .filter((resource) => isResource(resource, issuer));
  const [first] = known;
  if (first === undefined) throw refused("id_jag_resource_unknown", "The assertion is for no resource of this server");
  if (wanted === undefined) return first;
  if (known.some((resource) => isWithin(wanted, resource))) return wanted;
  throw new OAuthError("invalid_target", {
    reason: "resource_beyond_grant",
    description: `The assertion is for ${known.join(", ")}: request that, or a resource below it`,
  });
}
