import {
  presentsCredentials,
  requireAuthentic,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { OAuthServices } from "#authorization-server/oauth-services.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { ASSERTION_ALGORITHMS } from "#clients/client-assertions.ts";
import type { CompactJwt } from "#crypto/compact-jwt.ts";
import {
  type AcceptedJwt,
  findFault,
  findSignatureFault,
  type RefusedKind,
  requireForeign,
} from "#issuers/foreign-jwt.ts";
import { ofConnection } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS, isNumericDate } from "#protocol/numeric-date.ts";
import { proofOfMachine, type ServiceAccount } from "#service-accounts/service-account.ts";
import { isOfWorkload, type WorkloadRule } from "#service-accounts/workload-rule.ts";
import { SPENT_ID_SECONDS_MAX, type SpentIds } from "#spent-ids/spent-ids.ts";
import { addAssertedGrant, asGrantError, PROOF_REQUIRED, refused, requireScope } from "./asserted-grant.ts";
import type { Applicant, Asking } from "./grant-type.ts";

/** How long after its `iat` a single-use token is accepted. Its id can be remembered for that long, even if clocks differ. */
const SINGLE_USE_SECONDS = SPENT_ID_SECONDS_MAX - 2 * CLOCK_TOLERANCE_SECONDS;

const KEY_UNNAMED = `Sign with one of ${ASSERTION_ALGORITHMS.join(", ")}, and name the key (kid)`;
const UNSIGNED = "The assertion is not signed by a key that its issuer publishes";
const NO_WORKLOAD = "The assertion describes an event: it identifies no workload";
const EARLY = "The platform's token is not valid yet";

/**
 * A platform's token. Its type is `JWT`, or it has none: a token of any other type was made for another purpose (RFC 8725 §3.11).
 * Kubernetes issues tokens for up to a day on request; workloads need no longer ones.
 */
export const WORKLOAD_TOKEN: RefusedKind = {
  types: [undefined, "jwt"],
  lifetimeSecondsMax: 24 * 3600,
  mayLackId: true,
  refusals: {
    "algorithm-not-allowed": ["workload_key_unnamed", KEY_UNNAMED],
    "key-unnamed": ["workload_key_unnamed", KEY_UNNAMED],
    "key-unknown": ["workload_signature_wrong", UNSIGNED],
    "signature-wrong": ["workload_signature_wrong", UNSIGNED],
    "other-type": ["assertion_type_wrong", NO_WORKLOAD],
    "other-key": ["assertion_of_another_key", PROOF_REQUIRED],
    event: ["assertion_type_wrong", NO_WORKLOAD],
    "other-audience": [
      "workload_audience_wrong",
      "Request the platform's token for the audience {audience}, and no other",
    ],
    expired: ["workload_token_expired", "The platform's token has expired: get a new one"],
    "too-long": ["workload_token_too_long", "The platform's token must expire within a day"],
    "not-recent": ["workload_not_yet_valid", EARLY],
    early: ["workload_not_yet_valid", EARLY],
    "no-id": ["workload_token_reusable", "The assertion needs a jti of its own, and to be sent within an hour"],
  },
};

/** A rule that accepts tokens of an issuer, and its account. */
interface Trust {
  readonly account: ServiceAccount;
  readonly rule: WorkloadRule;
}

/**
 * Grants access to a workload that presents its platform's JWT (the MCP extension for workload identity federation,
 * RFC 7523 §2.1). Until its signature is verified, nothing in the JWT is trusted: its issuer and claims only select the key.
 * Client credentials are optional, but if they are sent they must be right (RFC 7523 §3.1).
 */
export function workloadGrant(services: OAuthServices) {
  const { serviceAccounts, issuerKeys, spentIds, tokenGrants } = services;

  /** Finds the accounts whose rules accept tokens of the JWT's issuer; none if the JWT has another type. */
  async function trustIn(instanceId: number, jwt: CompactJwt): Promise<Trust[]> {
    const { iss: issuer } = jwt.payload;
    const isOther = findFault(jwt, WORKLOAD_TOKEN, { audiences: [], now: 0 }, ["type"]);
    if (typeof issuer !== "string" || isOther) return [];
    return (await serviceAccounts.ofIssuer(instanceId, issuer)).flatMap((account) =>
      "workload" in account.proof ? [{ account, rule: account.proof.workload }] : [],
    );
  }

  return async (jwt: CompactJwt, { instance, request, keyThumbprint, now }: Asking): Promise<Applicant> => {
    const { parameters, waitUntil } = request;
    const clientId = presentsCredentials(request)
      ? (await requireAuthentic(services, instance, request)).clientId
      : parameters.one("client_id");
    const { issuer, policy } = instance;
    const trusted = await trustIn(policy.instanceId, jwt);
    const matching = trusted.filter(
      ({ account, rule }) => (clientId ?? account.id) === account.id && isOfWorkload(rule, jwt.payload),
    );
    const [selected] = [...matching, ...trusted];
    if (!selected) {
      throw refused("workload_issuer_unknown", "The assertion is no oauth-id-jag+jwt, and no rule is about its issuer");
    }
    const { account, rule } = selected;
    const publisher = { issuer: rule.issuer, jwksUri: rule.jwksUri };
    const accepted = await ofConnection(matching.length === 1 ? { clientId: account.id } : {}, () =>
      requireForeign(
        jwt,
        WORKLOAD_TOKEN,
        { audiences: [issuer, `${issuer}/`, issuer + ENDPOINTS.token], keyThumbprint, now },
        () => asGrantError(() => findSignatureFault(jwt, publisher, ASSERTION_ALGORITHMS, issuerKeys, waitUntil)),
        refused,
      ),
    );
    if (matching.length === 0) {
      throw refused("workload_unknown", "No service account's rule matches the claims of the assertion");
    }
    if (matching.length > 1) {
      throw refused("workload_ambiguous", "Several service accounts match the assertion: name one with client_id");
    }
    return {
      credentials: { clientId: account.id, proof: await proofOfMachine(account.proof) },
      async read(asked) {
        const { resource = issuer } = asked;
        const scope = requireScope(asked.parameters, account.scopes);
        return async () => {
          if (rule.isSingleUse) await spend(spentIds, policy.instanceId, rule.issuer, jwt, accepted, now);
          const asserted = { personId: account.id, scope, resource, assertedBy: rule.issuer, basis: null };
          return addAssertedGrant(tokenGrants, asked, asserted);
        };
      },
    };
  };
}

/**
 * Spends a single-use token. A token may live longer than its id is remembered, as GitHub's of six hours do: it is then
 * accepted only during the first part of its life.
 */
async function spend(
  spentIds: SpentIds,
  instanceId: number,
  sender: string,
  { payload: { iat } }: CompactJwt,
  { id, goodUntil }: AcceptedJwt,
  now: number,
): Promise<void> {
  const rememberedUntil = isNumericDate(iat) ? iat + SINGLE_USE_SECONDS + CLOCK_TOLERANCE_SECONDS : Infinity;
  const expiresAt = Math.min(goodUntil, Math.floor(rememberedUntil));
  if (id === "" || expiresAt > now + SPENT_ID_SECONDS_MAX || expiresAt <= now)
    throw refused(...WORKLOAD_TOKEN.refusals["no-id"]);
  if (await spentIds.spend({ instanceId, purpose: "workload_identity", sender, id, expiresAt })) return;
  throw refused("workload_token_replayed", "The assertion was used before: get a new token from the platform");
}
