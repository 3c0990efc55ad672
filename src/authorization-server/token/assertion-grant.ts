import { type CompactJwt, parseCompactJwt } from "#crypto/compact-jwt.ts";
import type {
  ClientAuthentication,
  ClientRequest,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { AppAccess } from "#app-access/app-access.ts";
import { requireMet, requirementsOf } from "#clients/client-requirements.ts";
import type { Client } from "#clients/client.ts";
import type { ClientReader } from "#clients/client-reader.ts";
import { type DocumentClientReader, isDocumentUrl } from "#clients/document-clients.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { TokenGrants } from "#grants/token-grants.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { API_SCOPES, narrowScopes } from "#protocol/scopes.ts";
import { addAssertedGrant } from "./asserted-grant.ts";
import { type Assertion, type IdJags, idJagIssuerOf, isIdJag } from "./id-jag.ts";
import type { MachineGrants } from "./machine-grant.ts";

/** Grants for a signed assertion instead of a code (RFC 7523 §2.1). */
export class AssertionGrants {
  readonly #authentication: ClientAuthentication;
  readonly #clients: ClientReader;
  readonly #documentClients: DocumentClientReader;
  readonly #idJags: IdJags;
  readonly #grants: TokenGrants;
  readonly #appAccess: AppAccess;
  readonly #machines: MachineGrants;

  constructor(
    authentication: ClientAuthentication,
    clients: ClientReader,
    documentClients: DocumentClientReader,
    idJags: IdJags,
    grants: TokenGrants,
    appAccess: AppAccess,
    machines: MachineGrants,
  ) {
    this.#authentication = authentication;
    this.#clients = clients;
    this.#documentClients = documentClients;
    this.#idJags = idJags;
    this.#grants = grants;
    this.#appAccess = appAccess;
    this.#machines = machines;
  }

  /**
   * Redeems the assertion of a token request.
   *
   * @param keyThumbprint of the key that the request proves, to which the token will be bound (RFC 9449)
   * @returns a grant that is written and running
   * @throws {OAuthError} the errors of RFC 7523 §3.1 and RFC 6749 §5.2
   */
  async redeem(
    instance: RequestInstance,
    request: ClientRequest,
    keyThumbprint: string | undefined,
    now: number,
  ): Promise<TokenGrant> {
    const { parameters, waitUntil } = request;
    parameters.requireUnrepeated(["resource"]);
    const jwt = parseCompactJwt(parameters.require("assertion"));
    if (!jwt) {
      throw new OAuthError("invalid_grant", {
        reason: "grant_assertion_unknown",
        description: "The assertion must be one signed JWT",
      });
    }
    if (!isIdJag(jwt)) return this.#machines.byWorkload(instance, request, jwt, keyThumbprint, now);
    await this.#makeKnown(instance, jwt, request.beforeStranger);
    const credentials = await this.#authentication.requireAuthentic(instance, request);
    const { clientId } = credentials;
    return ofConnection({ clientId }, async () => {
      const client = requireVouchedFor(await this.#clients.findEnabled(instance.policy.instanceId, clientId));
      const required = requirementsOf(client, instance.policy.settings);
      requireMet(required, keyThumbprint, credentials.proof);
      const presented = {
        clientId,
        resource: parseResource(parameters.all("resource"), instance.issuer),
        keyThumbprint,
      };
      const assertion = await this.#idJags.redeem(instance, jwt, presented, waitUntil, now);
      const asserted = {
        credentials,
        personId: assertion.personId,
        scope: await this.#scopeOf(instance, client, assertion, parameters),
        resource: assertion.resource,
        assertedBy: assertion.issuer.issuer,
        basis: assertion.basis,
        keyThumbprint,
      };
      const whyNot = "The client, the person or the issuer has just changed, or the person has connected too many apps";
      return addAssertedGrant(this.#grants, instance, asserted, now, whyNot);
    });
  }

  /**
   * Returns the requested scopes that all of these allow: the identity provider, and the administrator for this issuer, this app
   * and the person's groups.
   */
  async #scopeOf(
    { policy }: RequestInstance,
    client: Client,
    { issuer, personId, scopes }: Assertion,
    parameters: Parameters,
  ): Promise<string> {
    const ofApp = await this.#appAccess.scopesFor(policy, client, { personId });
    const allowed = issuer.scopes.filter((scope) => ofApp.includes(scope) && (scopes?.includes(scope) ?? true));
    const granted = narrowScopes(parameters.one("scope") ?? API_SCOPES.join(" "), allowed);
    if (granted.length > 0) return granted.join(" ");
    throw new OAuthError("invalid_scope", { reason: "scope_empty" });
  }

  /** Reads the document of a client that may be new here. Documents are fetched only from addresses that an administrator listed. */
  async #makeKnown(instance: RequestInstance, jwt: CompactJwt, beforeFetch: () => Promise<void>): Promise<void> {
    const { client_id: clientId } = jwt.payload;
    if (typeof clientId !== "string" || !isDocumentUrl(clientId)) return;
    const isListed = idJagIssuerOf(instance, jwt)?.clientIds.includes(clientId) ?? false;
    if (!isListed || !instance.policy.settings.clientIdMetadataDocuments) return;
    await this.#documentClients.find(instance.policy, clientId, beforeFetch, isListed);
  }
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
