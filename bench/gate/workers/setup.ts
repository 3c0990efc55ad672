import { makeAccessToken } from "#authorization-server/token/token-answer.ts";
import { hashToken, randomId, randomSecret } from "#crypto/secrets.ts";
import { Keyring } from "#crypto/keyring.ts";
import { makeRefreshToken, readRefreshToken, type RefreshTokenClaim } from "#grants/refresh-token.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { parseParameters } from "#protocol/parameters.ts";
import type { TokenDraft } from "#service-tokens/token-draft.ts";
import { servicesOf } from "#services.ts";
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { createInstance } from "../../../scripts/admin/create-instance.ts";
import { type DirectGrant, DirectGrants } from "../../../test/support/direct-grants.ts";
import { DATASOURCE } from "../../workload.ts";
import { accountOf, emailOf, type IssuedTokens, type SetupRequest } from "../messages.ts";

const ACTOR = "bench";
const REDIRECT_URI = "https://app.example/callback";
const GRANTED = "SEARCH offline_access";

/** More than the connections of a load, so that no refresh of a grant overtakes the previous one. */
const GRANTS_TO_REFRESH = 16;

const COPIED_AT_ONCE = 500;

/** Longer than any run. */
const RUN_SECONDS = 7200;

/** Creates an instance with everything that its tokens need, using the Worker's own services. */
export default {
  async fetch(request: Request): Promise<Response> {
    const setup = await request.json<SetupRequest>();
    await env.DB.batch(setup.schema.map((statement) => env.DB.prepare(statement)));
    const instance = await makeInstance(setup);
    await linkAccounts(instance, setup);
    const app = await makeApp(instance, setup.origin);
    const { access_token: own } = await redeem(app, await app.grants.grant(app, undefined, "SEARCH"));
    const { pool, publicJwk } = await signMore(own, setup);
    const reader = { kind: "client-api", scopes: ["SEARCH"], person: setup.email, lifetimeSeconds: null } as const;
    const scopes = [`documents:${DATASOURCE}`];
    const tokens: IssuedTokens = {
      own,
      ownPool: pool,
      ownJwk: publicJwk,
      serviceIssued: await issueToken(instance, reader),
      indexing: await issueToken(instance, { kind: "indexing", scopes, person: null, lifetimeSeconds: 3600 }),
      redemptions: await codeForms(app, setup.tokenRequests ?? 0),
      refreshes: await refreshForms(app, setup.tokenRequests ?? 0),
    };
    return Response.json(tokens);
  },
};

async function makeInstance({ instance: name, external, signsIn }: SetupRequest): Promise<InstanceRecord> {
  const services = servicesOf(env);
  const { administrationOf, instances } = services;
  const settings = { oauthEnabled: true, externalTokensEnabled: true };
  await administrationOf(await createInstance(services, name, ACTOR), ACTOR).settings.change(settings);
  const instance = await instances.require(name);
  const { issuer, jwksUri, clientId, audience } = external;
  const draft = {
    issuer,
    jwksUri,
    name: "Bench",
    clientIds: [clientId],
    audiences: [audience],
    scopes: ["SEARCH"],
    emailDomains: ["acme.example"],
  };
  await administrationOf(instance, ACTOR).issuers.register(draft);
  if (signsIn) {
    const connection = {
      issuer,
      clientId,
      clientSecret: "bench",
      emailClaim: "email",
      groupsClaim: "groups",
      requiredClaims: {},
    };
    await administrationOf(instance, ACTOR).singleSignOn.connect({ ...connection, scopes: "openid email" });
  }
  return instance;
}

/** Adds people who have already used a token of the issuer. */
async function linkAccounts(
  instance: InstanceRecord,
  { accounts = 0, external: { issuer } }: SetupRequest,
): Promise<void> {
  const all = Array.from({ length: accounts }, (_, number) => accountOf(number));
  const people = JSON.stringify(all.map((account) => ({ account, email: emailOf(account) })));
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO people (id, instance_id, email, name, created_at)
       SELECT value ->> 'account', ?1, value ->> 'email', value ->> 'account', 0 FROM json_each(?2)`,
    ).bind(instance.id, people),
    env.DB.prepare(
      `INSERT INTO linked_accounts (instance_id, issuer, subject, person_id, linked_at)
       SELECT ?1, ?3, value ->> 'account', value ->> 'account', 0 FROM json_each(?2)`,
    ).bind(instance.id, people, issuer),
  ]);
}

/** A client that an administrator created, and what is needed to create its grants. */
interface App {
  readonly instance: InstanceRecord;
  readonly grants: DirectGrants;
  readonly clientId: string;
  readonly origin: string;
  readonly redirectUri: string;
}

async function makeApp(instance: InstanceRecord, origin: string): Promise<App> {
  const order = { name: "Bench", redirectUris: [REDIRECT_URI], scopes: ["SEARCH", "offline_access"] as const };
  const { clients } = servicesOf(env).administrationOf(instance, ACTOR);
  const { client } = await clients.create({ ...order, tokenEndpointAuthMethod: "none" });
  const grants = new DirectGrants(instance);
  return { instance, grants, clientId: client.id, origin, redirectUri: REDIRECT_URI };
}

/** Returns the form that redeems a code. */
function codeForm({ clientId }: App, { code, verifier }: Pick<DirectGrant, "code" | "verifier">) {
  return {
    grant_type: "authorization_code",
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
  };
}

async function redeem(app: App, grant: DirectGrant) {
  const policy = await policyOf(app.instance.name);
  const request = {
    parameters: parseParameters(new URLSearchParams(codeForm(app, grant)).toString()),
    authorization: undefined,
    proved: { proof: undefined, method: "POST", url: `${app.origin}/oauth/token` },
    waitUntil: () => undefined,
    beforeStranger: async () => undefined,
  };
  return servicesOf(env).tokens.exchange({ issuer: app.origin, policy }, request, async () => undefined);
}

/**
 * Returns codes of one grant each, with the same verifier, valid for a whole run. Their grants are copies of one that is created
 * for this.
 */
async function codeForms(app: App, count: number) {
  const { grantId, verifier } = await app.grants.grant(app, undefined, GRANTED);
  const codes = Array.from({ length: count }, randomSecret);
  const made = await Promise.all(codes.map(async (code) => ({ id: randomId(), hash: await hashToken(code) })));
  const same = `instance_id, issuer, client_id, person_id, scope, resource, redirect_uri, code_challenge, created_at, expires_at`;
  for (let from = 0; from < count; from += COPIED_AT_ONCE) {
    await env.DB.prepare(
      `INSERT INTO grants (id, code_hash, code_expires_at, ${same})
       SELECT value ->> 'id', value ->> 'hash', code_expires_at + ${RUN_SECONDS}, ${same}
       FROM grants, json_each(?2) WHERE grants.id = ?1`,
    )
      .bind(grantId, JSON.stringify(made.slice(from, from + COPIED_AT_ONCE)))
      .run();
  }
  return codes.map((code) => codeForm(app, { code, verifier }));
}

/**
 * Returns refresh tokens of some grants in turn, each the successor of the previous one of its grant. So a grant's last refresh
 * was long ago when its next one comes.
 */
async function refreshForms(app: App, count: number) {
  if (count === 0) return [];
  const keyring = new Keyring(env.MASTER_KEYS);
  const claims: RefreshTokenClaim[] = [];
  for (let made = 0; made < GRANTS_TO_REFRESH; made += 1) {
    const { refresh_token: token = "" } = await redeem(
      app,
      await app.grants.grant(app, `person-${made}@acme.example`, GRANTED),
    );
    const claim = await readRefreshToken(keyring, token);
    if (!claim) throw new Error("the grant has no refresh token");
    claims.push(claim);
  }
  return Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const { grantId, generation } = claims[at % GRANTS_TO_REFRESH] as RefreshTokenClaim;
      const claim = { grantId, generation: generation + Math.floor(at / GRANTS_TO_REFRESH) };
      const token = await makeRefreshToken(keyring, claim);
      return { grant_type: "refresh_token", client_id: app.clientId, refresh_token: token };
    }),
  );
}

/** Signs more tokens of the same grant, each with its own id, as refreshes would. */
async function signMore(token: string, { instance, origin, poolSize }: SetupRequest) {
  const policy = await policyOf(instance);
  const key = await servicesOf(env).signingKeys.active(policy);
  const publicJwk = policy.publishedKeys.get(key.kid)?.publicJwk;
  if (!publicJwk) throw new Error("the signing key is not published");
  const claims = decodeJwt<{ client_id: string; grant_id: string; scope: string }>(token);
  const { sub = "", exp = 0, iat = 0 } = claims;
  const content = {
    issuer: origin,
    resource: origin,
    personId: sub,
    clientId: claims.client_id,
    clientKind: "static" as const,
    clientApp: claims.client_id,
    grantId: claims.grant_id,
    scope: claims.scope,
    issuedAt: iat,
    lifetimeSeconds: exp - iat,
    keyThumbprint: undefined,
  };
  const pool: string[] = [];
  while (pool.length < poolSize) pool.push(await makeAccessToken(key, content));
  return { pool, publicJwk };
}

async function issueToken(instance: InstanceRecord, draft: Omit<TokenDraft, "name">): Promise<string> {
  const { serviceTokens } = servicesOf(env).administrationOf(instance, ACTOR);
  return (await serviceTokens.issue({ name: "bench", ...draft }, true)).secret;
}

async function policyOf(name: string) {
  const { policySnapshots } = servicesOf(env);
  policySnapshots.expire(name);
  const policy = await policySnapshots.of(name, () => {});
  if (!policy) throw new Error(`there is no instance ${name}`);
  return policy;
}
