import { type AppAccess, isRuled } from "#app-access/app-access.ts";
import { hashToken } from "#crypto/hash.ts";
import type { Keyring } from "#crypto/keyring.ts";
import type { SigningKey } from "#crypto/signing-key.ts";
import type { RequestInstance } from "#instance/request-instance.ts";
import type { Clock } from "#platform/clock.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { OAuthError, ofConnection } from "#protocol/errors.ts";
import { CLIENT_CREDENTIALS, JWT_BEARER } from "#protocol/grant-types.ts";
import type { Parameters } from "#protocol/parameters.ts";
import { parseResource } from "#protocol/resource-indicator.ts";
import { narrowScopes, opensAnything, parseScopes, type Scope } from "#protocol/scopes.ts";
import type {
  ClientAuthentication,
  ClientRequest,
} from "#authorization-server/client-authentication/client-authentication.ts";
import type { ClientCredentials } from "#clients/client-proof.ts";
import { requireMet } from "#clients/client-requirements.ts";
import type { SigningKeys } from "#authorization-server/signing-keys/signing-keys.ts";
import { makeIdToken } from "#authorization-server/openid/id-token.ts";
import type { ProvedRequest } from "#dpop/dpop-proof.ts";
import type { DpopProofs } from "#dpop/dpop-proofs.ts";
import type { AssertionGrants } from "./assertion-grant.ts";
import type { MachineGrants } from "./machine-grant.ts";
import { makeAccessToken } from "./access-token.ts";
import type { EndReason } from "#grants/ending.ts";
import type { TokenGrant } from "#grants/grant.ts";
import type { Grants } from "#grants/grants.ts";
import type { CodeClaim, TokenGrants } from "#grants/token-grants.ts";
import { challengeOf } from "./pkce.ts";
import { judgeCode, judgeRefresh } from "#grants/judgement.ts";
import { makeRefreshToken, readRefreshToken, type RefreshTokenClaim } from "#grants/refresh-token.ts";

/** A successful answer of the token endpoint (OAuth 2.1 §3.2.3). */
export interface TokenResponse {
  readonly access_token: string;
  readonly token_type: "Bearer" | "DPoP";
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  /** With an assertion: the resource that was granted. */
  readonly resource?: string;
  /** With a code, where the person let the app recognise them (OpenID Connect Core §3.1.3.3). */
  readonly id_token?: string;
}

/** A request for tokens, with the proof of the key that they are to be bound to, where it has one. */
export interface TokenRequest extends ClientRequest {
  readonly proved: ProvedRequest;
}

/** Whose a grant is: the subjects of the rate of refreshes. */
export interface GrantOwner {
  readonly person: string;
  readonly client: string;
}

/** Grants that were refreshed lately in this isolate. */
const OWNERS_MAX = 2000;

/** The token endpoint's grants. */
export class Tokens {
  readonly #clients: ClientAuthentication;
  readonly #proofs: DpopProofs;
  readonly #assertionGrants: AssertionGrants;
  readonly #machineGrants: MachineGrants;
  readonly #tokenGrants: TokenGrants;
  readonly #grants: Grants;
  readonly #appAccess: AppAccess;
  readonly #signingKeys: SigningKeys;
  readonly #keyring: Keyring;
  readonly #clock: Clock;
  /** A client that refreshes in a loop is refused here, before the database is asked and before anything is spent. */
  readonly #owners = new BoundedMap<string, GrantOwner>(OWNERS_MAX);

  constructor(
    clients: ClientAuthentication,
    proofs: DpopProofs,
    assertionGrants: AssertionGrants,
    machineGrants: MachineGrants,
    tokenGrants: TokenGrants,
    grants: Grants,
    appAccess: AppAccess,
    signingKeys: SigningKeys,
    keyring: Keyring,
    clock: Clock,
  ) {
    this.#clients = clients;
    this.#proofs = proofs;
    this.#assertionGrants = assertionGrants;
    this.#machineGrants = machineGrants;
    this.#tokenGrants = tokenGrants;
    this.#grants = grants;
    this.#appAccess = appAccess;
    this.#signingKeys = signingKeys;
    this.#keyring = keyring;
    this.#clock = clock;
  }

  /**
   * The proof is looked at before the client: a request that is sent again with the nonce that it lacked may repeat its assertion,
   * which was not spent, and what a proof is refused for tells nothing of a client.
   *
   * @param requireWithinRate counts a refresh before anything is spent
   * @param beforeFetch asked before a client's document is fetched
   * @throws {OAuthError} as OAuth 2.1 §3.2.4 and RFC 9449 §5 list them
   */
  async exchange(
    instance: RequestInstance,
    request: TokenRequest,
    requireWithinRate: (owner: GrantOwner) => Promise<void>,
    beforeFetch: () => Promise<void>,
  ): Promise<TokenResponse> {
    const { parameters, proved } = request;
    const keyThumbprint = await this.#proofs.keyOfClient(instance, proved);
    if (parameters.one("grant_type") === CLIENT_CREDENTIALS) {
      return this.#answerAtOnce(instance, keyThumbprint, (now) =>
        this.#machineGrants.byClientCredentials(instance, request, keyThumbprint, now),
      );
    }
    if (parameters.one("grant_type") === JWT_BEARER) {
      return this.#answerAtOnce(instance, keyThumbprint, (now) =>
        this.#assertionGrants.redeem(instance, request, keyThumbprint, beforeFetch, now),
      );
    }
    const credentials = await this.#clients.read(instance, request);
    const grantType = await this.#clients.judging(instance, credentials, () => {
      parameters.requireUnrepeated(["resource"]);
      requireMet(instance.policy.settings.appRequirements, keyThumbprint, credentials.proof);
      return requireGrantType(parameters);
    });
    const { clientId } = credentials;
    return grantType === "authorization_code"
      ? ofConnection({ clientId }, () => this.#redeemCode(instance, parameters, credentials, keyThumbprint))
      : ofConnection({ clientId, isRefresh: true }, () =>
          this.#refresh(instance, parameters, credentials, keyThumbprint, requireWithinRate),
        );
  }

  /** Answers a grant that is written and running already, with the resource that was granted. */
  async #answerAtOnce(
    instance: RequestInstance,
    keyThumbprint: string | undefined,
    grantAt: (now: number) => Promise<TokenGrant>,
  ): Promise<TokenResponse> {
    const now = this.#clock();
    const key = await this.#signingKeys.active(instance.policy);
    const grant = await grantAt(now);
    const { scope, resource } = grant;
    return { ...(await this.#answer(instance, key, grant, { scope, resource, keyThumbprint }, now)), resource };
  }

  async #redeemCode(
    instance: RequestInstance,
    parameters: Parameters,
    credentials: ClientCredentials,
    keyThumbprint: string | undefined,
  ): Promise<TokenResponse> {
    const now = this.#clock();
    const claim = await this.#clients.judging(
      instance,
      credentials,
      async (): Promise<CodeClaim> => ({
        instanceId: instance.policy.instanceId,
        issuer: instance.issuer,
        credentials,
        resource: parseResource(parameters.all("resource"), instance.issuer),
        codeHash: await hashToken(parameters.require("code")),
        redirectUri: parameters.one("redirect_uri"),
        codeChallenge: await challengeOf(parameters.one("code_verifier")),
        keyThumbprint,
        tokensUntil: now + instance.policy.settings.accessTokenLifetimeSeconds,
      }),
    );
    const { resource } = claim;
    const key = await this.#signingKeys.active(instance.policy);
    const grant = await this.#tokenGrants.claimCode(claim, now);
    if (grant) {
      const answer = await this.#answer(instance, key, grant, { scope: grant.scope, resource, keyThumbprint }, now);
      return { ...answer, ...(await idTokenBeside(answer, instance.issuer, key, grant, now)) };
    }
    const observed = await this.#tokenGrants.observeCode(claim);
    const { refusal, replayed } = judgeCode(claim, observed, now);
    refusal.connection = { clientId: credentials.clientId, grantId: observed.grant?.id };
    if (replayed) await this.#end(instance, replayed, "code_replayed");
    throw refusal;
  }

  async #refresh(
    instance: RequestInstance,
    parameters: Parameters,
    credentials: ClientCredentials,
    keyThumbprint: string | undefined,
    requireWithinRate: (owner: GrantOwner) => Promise<void>,
  ): Promise<TokenResponse> {
    const { resource, presented, requested, requestedScopes } = await this.#clients.judging(
      instance,
      credentials,
      async () => ({
        resource: parseResource(parameters.all("resource"), instance.issuer),
        presented: await readRefreshToken(this.#keyring, parameters.require("refresh_token")),
        ...readRequestedScopes(parameters),
      }),
    );
    const owner = presented && this.#owners.get(presented.grantId);
    if (owner) await requireWithinRate(owner);
    if (presented && isRuled(instance.policy, credentials.clientId)) {
      await this.#requireAllowed(instance, credentials, presented, requested);
    }
    const key = await this.#signingKeys.active(instance.policy);
    const now = this.#clock();
    const { settings } = instance.policy;
    const outcome = await this.#tokenGrants.rotate(
      {
        instanceId: instance.policy.instanceId,
        issuer: instance.issuer,
        credentials,
        grantId: presented?.grantId ?? "",
        generation: presented?.generation ?? -1,
        grantIdleSeconds: settings.grantIdleSeconds,
        requestedScopes,
        keyThumbprint,
        dynamicScopes: settings.dynamicScopes,
        resource,
        tokensUntil: now + settings.refreshRepeatSeconds + settings.accessTokenLifetimeSeconds,
      },
      now,
    );
    const grant = "rotated" in outcome ? outcome.rotated : outcome.grant;
    if (grant) this.#owners.set(grant.id, { person: grant.personId, client: grant.clientId });
    const answer = (refreshed: TokenGrant) =>
      this.#answer(instance, key, refreshed, { scope: requested ?? refreshed.scope, resource, keyThumbprint }, now);
    if ("rotated" in outcome) return answer(outcome.rotated);
    const wanted = { scopes: requestedScopes, resource, keyThumbprint, proof: credentials.proof };
    const judgement = judgeRefresh(outcome, presented, instance, wanted, now);
    if (judgement.verdict === "same-successor") return answer(judgement.grant);
    if (judgement.verdict === "reused") await this.#end(instance, judgement.grant, "refresh_token_reused");
    const { clientId } = credentials;
    judgement.refusal.connection = { clientId, grantId: presented?.grantId, isRefresh: true };
    throw judgement.refusal;
  }

  /**
   * Makes the tokens of a grant, with what its person, client and the administrator's policy still allow. The key was fetched
   * before the grant changed: were it missing now, the code or refresh token would be spent on no answer.
   */
  async #answer(
    instance: RequestInstance,
    key: SigningKey,
    grant: TokenGrant,
    wanted: {
      readonly scope: string;
      readonly resource: string | undefined;
      readonly keyThumbprint: string | undefined;
    },
    now: number,
  ): Promise<TokenResponse> {
    const { settings } = instance.policy;
    const granted = await this.#grantedNow(instance, grant);
    const scope = requireOpening(narrowScopes(wanted.scope, granted));
    const lifetimeSeconds = Math.min(settings.accessTokenLifetimeSeconds, grant.tokensUntil - now);
    const accessToken = await makeAccessToken(key, {
      issuer: instance.issuer,
      resource: wanted.resource ?? grant.resource,
      personId: grant.personId,
      clientId: grant.clientId,
      clientKind: grant.clientKind,
      grantId: grant.id,
      scope: scope.join(" "),
      issuedAt: now,
      lifetimeSeconds,
      keyThumbprint: wanted.keyThumbprint,
    });
    return {
      access_token: accessToken,
      token_type: wanted.keyThumbprint === undefined ? "Bearer" : "DPoP",
      expires_in: lifetimeSeconds,
      scope: scope.join(" "),
      ...(granted.includes("offline_access")
        ? { refresh_token: await makeRefreshToken(this.#keyring, { grantId: grant.id, generation: grant.generation }) }
        : {}),
    };
  }

  /** What is left of a grant's scopes, by its client, its person's groups and the administrator's policy. */
  async #grantedNow({ policy }: RequestInstance, grant: TokenGrant): Promise<Scope[]> {
    const client = { id: grant.clientId, kind: grant.clientKind, scopes: grant.clientScopes };
    const allowed = await this.#appAccess.scopesFor(policy, client, grant);
    return parseScopes(grant.scope).filter((scope) => allowed.includes(scope));
  }

  /**
   * Refuses a refresh that the app's rules would leave empty, before the token is spent on it: the person may be back in the group
   * tomorrow. Only for the token that would move the grant on, so that the use of an older one still ends it.
   *
   * @throws {OAuthError} `invalid_grant`
   */
  async #requireAllowed(
    instance: RequestInstance,
    credentials: ClientCredentials,
    { grantId, generation }: RefreshTokenClaim,
    requested: string | undefined,
  ): Promise<void> {
    const { instanceId } = instance.policy;
    const { clientAuthenticated, grant } = await this.#tokenGrants.observe({ instanceId, grantId, credentials });
    if (!clientAuthenticated || grant?.generation !== generation || grant.revokedAt !== null) return;
    requireOpening(narrowScopes(requested ?? grant.scope, await this.#grantedNow(instance, grant)));
  }

  /** Ends a grant whose code or refresh token turned up twice: one of the two holders is a thief (RFC 9700 §4.14.2). */
  async #end({ policy }: RequestInstance, { id: grantId, personId, clientId }: TokenGrant, reason: EndReason) {
    await this.#grants.end(policy, { kind: "grant", grantId, personId, clientId }, reason, "authorization-server");
  }
}

/** @throws {OAuthError} `invalid_grant` where nothing is left that is worth a token */
function requireOpening(scope: string[]): string[] {
  if (opensAnything(scope)) return scope;
  throw new OAuthError("invalid_grant", {
    reason: "scopes_no_longer_allowed",
    description: "An administrator no longer allows the scopes of this grant: authorize again",
  });
}

/** The ID token that goes with an access token whose scope asks for one. */
async function idTokenBeside(
  { access_token: accessToken, scope, expires_in: lifetimeSeconds }: TokenResponse,
  issuer: string,
  key: SigningKey,
  { personId, clientId, nonce }: TokenGrant,
  issuedAt: number,
): Promise<Pick<TokenResponse, "id_token">> {
  if (!parseScopes(scope).includes("openid")) return {};
  return {
    id_token: await makeIdToken(key, { issuer, personId, clientId, nonce, accessToken, issuedAt, lifetimeSeconds }),
  };
}

function requireGrantType(parameters: Parameters): "authorization_code" | "refresh_token" {
  const grantType = parameters.require("grant_type");
  if (grantType === "authorization_code" || grantType === "refresh_token") return grantType;
  throw new OAuthError("unsupported_grant_type", { reason: "grant_type_unknown" });
}

/** What a refresh asks to narrow to; nothing means all that was granted. */
function readRequestedScopes(parameters: Parameters) {
  const requested = parameters.one("scope");
  const requestedScopes = requested === undefined ? [] : parseScopes(requested);
  if (requested === undefined || opensAnything(requestedScopes)) return { requested, requestedScopes };
  throw new OAuthError("invalid_scope", { reason: "refresh_scope_empty" });
}
