import { type CompactJwt, isSignedBy } from "#crypto/compact-jwt.ts";
import { hashToken } from "#crypto/hash.ts";
import { randomId, randomSecret } from "#crypto/random.ts";
import type {
  ClientAuthentication,
  ClientRequest,
} from "#authorization-server/client-authentication/client-authentication.ts";
import { ASSERTION_ALGORITHMS } from "#clients/client-assertions.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { TokenGrants } from "#grants/token-grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { ApiError, OAuthError, ofConnection } from "#protocol/errors.ts";
import { isNumericDate } from "#protocol/numeric-date.ts";
import type { Parameters } from "#protocol/parameters.ts";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { narrowScopes } from "#protocol/scopes.ts";
import { proofOfMachine, type ServiceAccount, type ServiceAccountReader } from "#service-accounts/service-account.ts";
import { isOfWorkload } from "#service-accounts/workload-rule.ts";
import { SPENT_ID_SECONDS_MAX, type SpentIds } from "#spent-ids/spent-ids.ts";

/** Platforms keep other clocks. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** Kubernetes gives tokens for a day where a workload asks for that; one that lives longer is no workload's. */
const LIFETIME_SECONDS_MAX = 24 * 3600;

/** Platforms write JWT or nothing. Whatever else a token says it is, it is nobody's identity here (RFC 8725 §3.11). */
const TYPES = [undefined, "JWT"];

/** Access of machines: no person takes part, and no person's rights (RFC 6749 §4.4, RFC 7523 §2.1). */
export class MachineGrants {
  readonly #authentication: ClientAuthentication;
  readonly #accounts: ServiceAccountReader;
  readonly #keys: IssuerKeys;
  readonly #spentIds: SpentIds;
  readonly #grants: TokenGrants;

  constructor(
    authentication: ClientAuthentication,
    accounts: ServiceAccountReader,
    keys: IssuerKeys,
    spentIds: SpentIds,
    grants: TokenGrants,
  ) {
    this.#authentication = authentication;
    this.#accounts = accounts;
    this.#keys = keys;
    this.#spentIds = spentIds;
    this.#grants = grants;
  }

  /**
   * A service account that proves its own key (RFC 6749 §4.4, RFC 7523 §2.2). A secret would do for a client, but not here: it
   * could be copied out of every place that it is used from.
   *
   * @throws {OAuthError} `invalid_client` without a signed assertion; `unauthorized_client` for an app of people
   */
  async byClientCredentials(instance: RequestInstance, request: ClientRequest, now: number): Promise<TokenGrant> {
    const { parameters } = request;
    parameters.requireUnrepeated(["resource"]);
    if (parameters.one("client_assertion") === undefined) {
      throw new OAuthError("invalid_client", {
        reason: "machine_without_assertion",
        description: "client_credentials needs private_key_jwt: send client_assertion and client_assertion_type",
      });
    }
    const credentials = await this.#authentication.requireAuthentic(instance, request);
    return ofConnection({ clientId: credentials.clientId }, async () => {
      const account = await this.#accounts.find(instance.policy.instanceId, credentials.clientId);
      if (account) return this.#grant(instance, parameters, account, credentials, credentials.clientId, now);
      throw new OAuthError("unauthorized_client", {
        reason: "client_no_service_account",
        description: "This client acts for people: an administrator makes a service account for client_credentials",
      });
    });
  }

  /**
   * A workload that shows its platform's JWT (the MCP extension for workload identity federation, RFC 7523 §2.1). Nothing in it is
   * believed before its signature holds, but the issuer, which selects the rules and the key.
   *
   * @throws {OAuthError} `invalid_grant` when anything does not hold; `temporarily_unavailable` while the keys cannot be had
   */
  async byWorkload(
    instance: RequestInstance,
    { parameters, waitUntil }: ClientRequest,
    jwt: CompactJwt,
    now: number,
  ): Promise<TokenGrant> {
    const { iss: issuer } = jwt.payload;
    const clientId = parameters.one("client_id");
    const { instanceId } = instance.policy;
    const trusted = typeof issuer === "string" ? await this.#accounts.ofIssuer(instanceId, issuer) : [];
    const type = jwt.header["typ"];
    if (trusted.length === 0 || !TYPES.includes(type as string | undefined)) {
      throw refused("workload_issuer_unknown", "The assertion is no oauth-id-jag+jwt, and no rule is about its issuer");
    }
    const matching = trusted.filter(
      ({ id, proof }) => (clientId ?? id) === id && "workload" in proof && isOfWorkload(proof.workload, jwt.payload),
    );
    const [account] = matching;
    if (!account || !("workload" in account.proof)) {
      throw refused("workload_unknown", "No service account's rule matches the claims of the assertion");
    }
    // With one of several keys' addresses an issuer could be two: the account's own decides.
    const { workload } = account.proof;
    await this.#requireSignature(jwt, workload, waitUntil);
    if (matching.length > 1) {
      throw refused("workload_ambiguous", "Several service accounts match the assertion: name one with client_id");
    }
    const expiresAt = requireUsable(jwt.payload, instance.issuer, now);
    if (workload.isSingleUse) await this.#spend(instanceId, workload.issuer, jwt.payload["jti"], expiresAt, now);
    const credentials = { clientId: account.id, proof: await proofOfMachine(account.proof) };
    return ofConnection({ clientId: account.id }, () =>
      this.#grant(instance, parameters, account, credentials, workload.issuer, now),
    );
  }

  async #requireSignature(
    jwt: CompactJwt,
    { issuer, jwksUri }: { readonly issuer: string; readonly jwksUri?: string },
    waitUntil: WaitUntil,
  ): Promise<void> {
    const { alg, kid } = jwt.header;
    const algorithm = ASSERTION_ALGORITHMS.find((allowed) => allowed === alg);
    if (!algorithm || typeof kid !== "string" || kid === "") {
      throw refused(
        "workload_key_unnamed",
        `Sign with one of ${ASSERTION_ALGORITHMS.join(", ")}, and name the key (kid)`,
      );
    }
    const key = await this.#keys.find({ issuer, jwksUri }, kid, algorithm, waitUntil).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const { reason, description, cause } = error;
      throw new OAuthError("temporarily_unavailable", { reason, description, cause });
    });
    if (key && (await isSignedBy(jwt, key, [algorithm]))) return;
    throw refused("workload_signature_wrong", "The assertion is not signed by a key that its issuer publishes");
  }

  async #spend(instanceId: number, sender: string, id: unknown, expiresAt: number, now: number): Promise<void> {
    const isRememberable = expiresAt + CLOCK_TOLERANCE_SECONDS <= now + SPENT_ID_SECONDS_MAX;
    if (typeof id !== "string" || id === "" || !isRememberable) {
      throw refused("workload_token_reusable", "The assertion needs a jti, and to expire within an hour");
    }
    const spent = { instanceId, purpose: "workload_identity", sender, id } as const;
    if (await this.#spentIds.spend({ ...spent, expiresAt: expiresAt + CLOCK_TOLERANCE_SECONDS })) return;
    throw refused("workload_token_replayed", "The assertion was used before: get a new token from the platform");
  }

  async #grant(
    instance: RequestInstance,
    parameters: Parameters,
    account: ServiceAccount,
    credentials: ClientCredentials,
    assertedBy: string,
    now: number,
  ): Promise<TokenGrant> {
    const resource = parseResource(parameters.all("resource"), instance.issuer) ?? instance.issuer;
    const scopes = narrowScopes(parameters.one("scope") ?? account.scopes.join(" "), account.scopes);
    if (scopes.length === 0) throw new OAuthError("invalid_scope", { reason: "scope_empty" });
    const grant = await this.#grants.addAsserted({
      id: randomId(),
      instanceId: instance.policy.instanceId,
      issuer: instance.issuer,
      credentials,
      personId: account.id,
      scope: scopes.join(" "),
      resource,
      assertedBy,
      codeHash: await hashToken(randomSecret()),
      createdAt: now,
      tokensUntil: now + instance.policy.settings.accessTokenLifetimeSeconds,
    });
    if (grant) return grant;
    throw refused("asserted_grant_not_made", "The service account has just lost access, or got too many tokens");
  }
}

/** The audience and the times. @returns when it expires */
function requireUsable({ aud, exp, iat, nbf }: CompactJwt["payload"], issuer: string, now: number): number {
  const audiences: readonly unknown[] = [issuer, `${issuer}/`, issuer + ENDPOINTS.token];
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (named.length === 0 || !named.every((audience) => audiences.includes(audience))) {
    throw refused("workload_audience_wrong", `Request the platform's token for the audience ${issuer}, and no other`);
  }
  if (!isNumericDate(exp) || exp <= now - CLOCK_TOLERANCE_SECONDS) {
    throw refused("workload_token_expired", "The platform's token has expired: get a new one");
  }
  if (exp > now + LIFETIME_SECONDS_MAX) {
    throw refused("workload_token_too_long", "The platform's token must expire within a day");
  }
  for (const begin of [iat, nbf]) {
    if (begin !== undefined && !(isNumericDate(begin) && begin <= now + CLOCK_TOLERANCE_SECONDS)) {
      throw refused("workload_not_yet_valid", "The platform's token is not valid yet");
    }
  }
  return exp;
}

function refused(reason: RefusalReason, description: string): OAuthError {
  return new OAuthError("invalid_grant", { reason, description });
}
