import type { CompactJwt } from "#crypto/compact-jwt.ts";
import { findMisuse } from "#crypto/jwt-misuse.ts";
import {
  type ClientAuthentication,
  type ClientRequest,
  presentsCredentials,
} from "#authorization-server/client-authentication/client-authentication.ts";
import { ASSERTION_ALGORITHMS } from "#clients/client-assertions.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import { requireMet } from "#clients/client-requirements.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { TokenGrants } from "#grants/token-grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { IssuerKeys } from "#issuers/issuer-keys.ts";
import { findSignatureFault } from "#issuers/issuer-signature.ts";
import type { WaitUntil } from "#platform/wait-until.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { CLOCK_TOLERANCE_SECONDS, isNumericDate, isUnexpired } from "#protocol/numeric-date.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { narrowScopes } from "#protocol/scopes.ts";
import { proofOfMachine, type ServiceAccount, type ServiceAccountReader } from "#service-accounts/service-account.ts";
import { isOfWorkload, type WorkloadRule } from "#service-accounts/workload-rule.ts";
import { isSpendableId, SPENT_ID_SECONDS_MAX, type SpentIds } from "#spent-ids/spent-ids.ts";
import { addAssertedGrant, asGrantError, PROOF_REQUIRED, refused } from "./asserted-grant.ts";
import { requireUsable } from "./workload-token.ts";

/** The types of platforms' tokens: `JWT` or none. A token of any other type was made for another purpose (RFC 8725 §3.11). */
const TYPES = [undefined, "jwt"];

/** How long after its `iat` a single-use token is accepted. Its id can be remembered for that long, even if clocks differ. */
const SINGLE_USE_SECONDS = SPENT_ID_SECONDS_MAX - 2 * CLOCK_TOLERANCE_SECONDS;

/** An authenticated service account, and the access that it gets. */
interface Admitted {
  readonly account: ServiceAccount;
  readonly credentials: ClientCredentials;
  readonly resource: string;
  readonly scope: string;
  readonly keyThumbprint: string | undefined;
}

/** Grants for service accounts, in their own name and not a person's (RFC 6749 §4.4, RFC 7523 §2.1). */
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
   * Grants access to a service account that has its own key (RFC 6749 §4.4, RFC 7523 §2.2). Client secrets are not accepted here,
   * because they could be copied from every place that uses them.
   *
   * @param keyThumbprint of the key that the request proves, to which the token will be bound (RFC 9449)
   * @throws {OAuthError} `invalid_client` without a signed assertion; `unauthorized_client` for an app that acts for people
   */
  async byClientCredentials(
    instance: RequestInstance,
    request: ClientRequest,
    keyThumbprint: string | undefined,
    now: number,
  ): Promise<TokenGrant> {
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
      if (!account) {
        throw new OAuthError("unauthorized_client", {
          reason: "client_no_service_account",
          description: "This client acts for people: an administrator makes a service account for client_credentials",
        });
      }
      const admitted = this.#admit(instance, parameters, account, credentials, keyThumbprint);
      return this.#grant(instance, admitted, account.id, now);
    });
  }

  /**
   * Grants access to a workload that presents its platform's JWT (the MCP extension for workload identity federation,
   * RFC 7523 §2.1). Until its signature is verified, nothing in the JWT is trusted: its issuer and claims only select the key.
   * Client credentials are optional, but if they are sent they must be right (RFC 7523 §3.1).
   *
   * @param keyThumbprint of the key that the request proves, to which the token will be bound (RFC 9449)
   * @throws {OAuthError} `invalid_grant` if any check fails; `temporarily_unavailable` while the issuer's keys are unavailable
   */
  async byWorkload(
    instance: RequestInstance,
    request: ClientRequest,
    jwt: CompactJwt,
    keyThumbprint: string | undefined,
    now: number,
  ): Promise<TokenGrant> {
    const { parameters, waitUntil } = request;
    const clientId = presentsCredentials(request)
      ? (await this.#authentication.requireAuthentic(instance, request)).clientId
      : parameters.one("client_id");
    const { instanceId } = instance.policy;
    const trusted = await this.#rulesAbout(instanceId, jwt);
    const matching = trusted.filter(
      ({ account, rule }) => (clientId ?? account.id) === account.id && isOfWorkload(rule, jwt.payload),
    );
    const [selected] = [...matching, ...trusted];
    if (!selected) {
      throw refused("workload_issuer_unknown", "The assertion is no oauth-id-jag+jwt, and no rule is about its issuer");
    }
    const { account, rule } = selected;
    // The signature is verified before any error about claims. Otherwise, anyone could probe which claims are trusted.
    await this.#requireSignature(jwt, rule, waitUntil);
    const misuse = findMisuse(jwt, { types: TYPES, keyThumbprint });
    if (misuse === "other-key") throw refused("assertion_of_another_key", PROOF_REQUIRED);
    if (misuse) throw refused("assertion_type_wrong", "The assertion describes an event: it identifies no workload");
    if (matching.length === 0) {
      throw refused("workload_unknown", "No service account's rule matches the claims of the assertion");
    }
    if (matching.length > 1) {
      throw refused("workload_ambiguous", "Several service accounts match the assertion: name one with client_id");
    }
    return ofConnection({ clientId: account.id }, async () => {
      const expiresAt = requireUsable(jwt.payload, instance.issuer, now);
      const credentials = { clientId: account.id, proof: await proofOfMachine(account.proof) };
      const admitted = this.#admit(instance, parameters, account, credentials, keyThumbprint);
      if (rule.isSingleUse) await this.#spend(instanceId, rule.issuer, jwt.payload, expiresAt, now);
      return this.#grant(instance, admitted, rule.issuer, now);
    });
  }

  /** Finds the accounts whose rules accept tokens of the JWT's issuer; none if the JWT has another type. */
  async #rulesAbout(
    instanceId: number,
    jwt: CompactJwt,
  ): Promise<{ readonly account: ServiceAccount; readonly rule: WorkloadRule }[]> {
    const { iss: issuer } = jwt.payload;
    if (typeof issuer !== "string" || findMisuse(jwt, { types: TYPES }) === "other-type") return [];
    const accounts = await this.#accounts.ofIssuer(instanceId, issuer);
    return accounts.flatMap((account) =>
      "workload" in account.proof ? [{ account, rule: account.proof.workload }] : [],
    );
  }

  async #requireSignature(jwt: CompactJwt, { issuer, jwksUri }: WorkloadRule, waitUntil: WaitUntil): Promise<void> {
    const publisher = { issuer, jwksUri };
    const fault = await asGrantError(() =>
      findSignatureFault(jwt, publisher, ASSERTION_ALGORITHMS, this.#keys, waitUntil),
    );
    if (fault === "algorithm-not-allowed" || fault === "key-unnamed") {
      throw refused(
        "workload_key_unnamed",
        `Sign with one of ${ASSERTION_ALGORITHMS.join(", ")}, and name the key (kid)`,
      );
    }
    if (fault) {
      throw refused("workload_signature_wrong", "The assertion is not signed by a key that its issuer publishes");
    }
  }

  /**
   * Spends a single-use token. A token may live longer than its id is remembered, as GitHub's of six hours do: it is then
   * accepted only during the first part of its life.
   */
  async #spend(
    instanceId: number,
    sender: string,
    { jti: id, iat }: CompactJwt["payload"],
    expiresAt: number,
    now: number,
  ): Promise<void> {
    const goodUntil = isNumericDate(iat) ? Math.min(expiresAt, Math.floor(iat) + SINGLE_USE_SECONDS) : expiresAt;
    const isRememberable = goodUntil + CLOCK_TOLERANCE_SECONDS <= now + SPENT_ID_SECONDS_MAX;
    if (!isSpendableId(id) || !isRememberable || !isUnexpired(goodUntil, now)) {
      throw refused("workload_token_reusable", "The assertion needs a jti of its own, and to be sent within an hour");
    }
    const spent = { instanceId, purpose: "workload_identity", sender, id } as const;
    if (await this.#spentIds.spend({ ...spent, expiresAt: goodUntil + CLOCK_TOLERANCE_SECONDS })) return;
    throw refused("workload_token_replayed", "The assertion was used before: get a new token from the platform");
  }

  /**
   * Decides which access a machine gets, before anything is spent: the requested ones of its scopes.
   *
   * @throws {OAuthError} `invalid_target`, `invalid_scope`, and what `requireMet` throws
   */
  #admit(
    { policy, issuer }: RequestInstance,
    parameters: Parameters,
    account: ServiceAccount,
    credentials: ClientCredentials,
    keyThumbprint: string | undefined,
  ): Admitted {
    requireMet(policy.settings.appRequirements, keyThumbprint, credentials.proof);
    const { scopes } = account;
    const granted = narrowScopes(parameters.one("scope") ?? scopes.join(" "), scopes);
    if (granted.length === 0) throw new OAuthError("invalid_scope", { reason: "scope_empty" });
    const resource = parseResource(parameters.all("resource"), issuer) ?? issuer;
    return { account, credentials, resource, scope: granted.join(" "), keyThumbprint };
  }

  #grant(
    instance: RequestInstance,
    { account, ...admitted }: Admitted,
    assertedBy: string,
    now: number,
  ): Promise<TokenGrant> {
    const asserted = { ...admitted, personId: account.id, assertedBy, basis: null };
    const whyNot = "The service account has just lost access, or got too many tokens";
    return addAssertedGrant(this.#grants, instance, asserted, now, whyNot);
  }
}
