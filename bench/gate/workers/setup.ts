import { makeAccessToken } from "#authorization-server/token/access-token.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { parseParameters } from "#protocol/parameters.ts";
import type { TokenDraft } from "#service-tokens/token-draft.ts";
import { servicesOf } from "#services.ts";
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { DirectGrants } from "../../../test/support/direct-grants.ts";
import { DATASOURCE } from "../../workload.ts";
import type { IssuedTokens, SetupRequest } from "../messages.ts";

const ACTOR = "bench";
const REDIRECT_URI = "https://app.example/callback";

/** Makes an instance with all that its tokens stand on, by the Worker's own services. */
export default {
  async fetch(request: Request): Promise<Response> {
    const setup = await request.json<SetupRequest>();
    await env.DB.batch(setup.schema.map((statement) => env.DB.prepare(statement)));
    const instance = await makeInstance(setup);
    const own = await redeemGrant(instance, setup.origin);
    const { pool, publicJwk } = await signMore(own, setup);
    const reader = { kind: "client-api", scopes: ["SEARCH"], person: setup.email, lifetimeSeconds: null } as const;
    const scopes = [`documents:${DATASOURCE}`];
    const tokens: IssuedTokens = {
      own,
      ownPool: pool,
      ownJwk: publicJwk,
      serviceIssued: await issueToken(instance, reader),
      indexing: await issueToken(instance, { kind: "indexing", scopes, person: null, lifetimeSeconds: 3600 }),
    };
    return Response.json(tokens);
  },
};

async function makeInstance({ instance: name, external, signsIn }: SetupRequest): Promise<InstanceRecord> {
  const { administration, instances } = servicesOf(env);
  const settings = { oauthEnabled: true, externalTokensEnabled: true };
  await administration.settings.change(await administration.instances.create(name, ACTOR), settings, ACTOR);
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
  await administration.issuers.register(instance, draft, ACTOR);
  if (signsIn) {
    const connection = {
      issuer,
      clientId,
      clientSecret: "bench",
      emailClaim: "email",
      groupsClaim: "groups",
      requiredClaims: {},
    };
    await administration.singleSignOn.connect(instance, { ...connection, scopes: "openid email" }, ACTOR);
  }
  return instance;
}

/** @returns the access token of a grant to a client that an administrator made */
async function redeemGrant(instance: InstanceRecord, origin: string): Promise<string> {
  const { administration, tokens } = servicesOf(env);
  const clientOrder = { name: "Bench", redirectUris: [REDIRECT_URI], scopes: ["SEARCH"] as const };
  const { client } = await administration.clients.create(
    instance,
    { ...clientOrder, tokenEndpointAuthMethod: "none" },
    ACTOR,
  );
  const app = { clientId: client.id, origin, redirectUri: REDIRECT_URI };
  const { code, verifier } = await new DirectGrants(instance).grant(app, undefined, "SEARCH");
  const form = new URLSearchParams({
    grant_type: "authorization_code",
    client_id: client.id,
    redirect_uri: REDIRECT_URI,
    code,
    code_verifier: verifier,
  });
  const policy = await policyOf(instance.name);
  const request = {
    parameters: parseParameters(form.toString()),
    authorization: undefined,
    proved: { proof: undefined, method: "POST", url: `${origin}/oauth/token` },
    waitUntil: () => undefined,
  };
  const answer = await tokens.exchange(
    { issuer: origin, policy },
    request,
    async () => undefined,
    async () => undefined,
  );
  return answer.access_token;
}

/** More tokens of the same grant, each with its own id: what refreshes would give. */
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
  const { serviceTokens } = servicesOf(env).administration;
  return (await serviceTokens.issue(instance, { name: "bench", ...draft }, ACTOR)).secret;
}

async function policyOf(name: string) {
  const { policySnapshots } = servicesOf(env);
  policySnapshots.expire(name);
  const policy = await policySnapshots.of(name, () => {});
  if (!policy) throw new Error(`there is no instance ${name}`);
  return policy;
}
