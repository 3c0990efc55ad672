import type { InstanceRecord } from "#instance/instances.ts";
import { epochSeconds } from "#platform/clock.ts";
import { API_SCOPES, SCOPES, type Scope } from "#protocol/scopes.ts";
import { makeServiceToken } from "#service-tokens/service-token.ts";
import type { TokenDraft } from "#service-tokens/token-draft.ts";
import { servicesOf } from "#services.ts";
import { AppClient } from "./app-client.ts";
import { TokenForge } from "./forged-tokens.ts";
import { DpopKey } from "./dpop-key.ts";
import { env } from "./isolate.ts";
import { TestIssuer } from "./test-issuer.ts";
import { makeInstance, ORIGIN, setDeactivated } from "./world.ts";

/** A credential of each kind: the values of the request's Authorization headers. */
export type Credentials = Readonly<Record<string, readonly string[]>>;

/** The identity providers that an instance may trust: one for each scope, and one whose tokens nobody presents. */
export interface Issuers {
  readonly byScope: Readonly<Record<(typeof API_SCOPES)[number], TestIssuer>>;
  readonly bystander: TestIssuer;
}

/** Turns credentials into ones that come with a proof of a key. The header does not show which key. */
const byProof = (credentials: Credentials): Credentials =>
  Object.fromEntries(
    Object.entries(credentials).map(([kind, [bearer = ""]]) => [
      `by proof: ${kind}`,
      [bearer.replace("Bearer", "DPoP")],
    ]),
  );

/** Changes a character in a token's last part. */
function altered(token: string): string {
  const at = token.lastIndexOf(".") + 10;
  return token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
}

/** Creates tokens that the instance's own authorization server issued or seems to have issued. */
async function ownCredentials(instance: InstanceRecord, key: DpopKey): Promise<Credentials> {
  const app = await AppClient.madeByAdministrator(instance, { scopes: SCOPES });
  const scoped: [string, string][] = [];
  for (const scope of API_SCOPES) scoped.push([`own, ${scope}`, (await app.tokens("ben", { scope })).access_token]);
  const { access_token: genuine } = await app.tokens();
  const forge = await TokenForge.of(instance.name, genuine);
  const now = Math.floor(Date.now() / 1000);
  const { access_token: revoked } = await app.tokens();
  await app.revoke(revoked);
  const { access_token: deactivated } = await app.tokens("carla");
  await makeInstance("other");
  const elsewhere = await AppClient.registered({}, "http://other.localhost");
  const bound = await forge.withClaims({ scope: "SEARCH", cnf: { jkt: key.thumbprint } });
  const byKey = single({ "own, SEARCH": bound, "own, without it": bound, "own, of another key": bound });
  const bearers = single({
    ...Object.fromEntries(scoped),
    "own, bound to a key": bound,
    "own, expired": await forge.withClaims({ iat: now - 7200, nbf: now - 7200, exp: now - 1 }),
    "own, altered": altered(genuine),
    "own, of a revoked grant": revoked,
    "own, of a deactivated person": deactivated,
    "own, for search alone": await forge.withClaims({ aud: `${ORIGIN}/rest/api/v1/search` }),
    "own, for MCP alone": await forge.withClaims({ aud: `${ORIGIN}/mcp` }),
    "own, of another instance": (await elsewhere.tokens()).access_token,
  });
  return { ...bearers, ...byProof(byKey), ...byProof(single({ "own, bound to none": genuine })) };
}

/** Creates access tokens of identity providers. All of them are signed, but none by us. */
async function externalCredentials(key: DpopKey): Promise<{ issuers: Issuers; credentials: Credentials }> {
  const publishing = () => TestIssuer.publishing("rsa");
  const issuers = {
    byScope: { SEARCH: await publishing(), CHAT: await publishing(), DOCUMENTS: await publishing() },
    bystander: await publishing(),
  };
  const { SEARCH: issuer } = issuers.byScope;
  const now = Math.floor(Date.now() / 1000);
  const scoped = API_SCOPES.map(async (scope) => [`external, ${scope}`, await issuers.byScope[scope].token()]);
  const bound = await issuer.token({ cnf: { jkt: key.thumbprint } });
  const bearers = single({
    ...(Object.fromEntries(await Promise.all(scoped)) as Record<string, string>),
    "external, of an unknown issuer": await (await publishing()).token(),
    "external, of an unknown client": await issuer.token({ azp: "another-app" }),
    "external, expired": await issuer.token({ iat: now - 7200, exp: now - 1 }),
    "external, altered": altered(await issuer.token()),
    "external, for another API": await issuer.token({ aud: "api://another" }),
    "external, of a deactivated person": await issuer.token({ email: "carla@acme.example" }),
    "external, bound to a key": bound,
    "external, bound to a certificate": await issuer.token({ cnf: { "x5t#S256": key.thumbprint } }),
  });
  return { issuers, credentials: { ...bearers, ...byProof(single({ "external, SEARCH": bound })) } };
}

/** Creates tokens of every kind as an administrator does. */
async function serviceIssuedCredentials(instance: InstanceRecord): Promise<Credentials> {
  const { administrationOf } = servicesOf(env);
  const ids = new Map<string, string>();
  const issue = async (changes: Partial<TokenDraft>) => {
    const usual = { kind: "indexing" as const, name: "test", scopes: ["documents:global_scope"], person: null };
    const order = { ...usual, lifetimeSeconds: 3600, ...changes };
    const { token, secret } = await administrationOf(instance, "test").serviceTokens.issue(order, true);
    ids.set(secret, token.id);
    return secret;
  };
  const ofPerson = async (email: string, scope: Scope, changes: Partial<TokenDraft> = {}) => {
    return issue({ kind: "client-api", scopes: [scope], person: email, ...changes });
  };
  const revoke = async (secret: string) => {
    await administrationOf(instance, "test").serviceTokens.revoke(ids.get(secret) ?? "");
    return secret;
  };
  const expire = async (secret: string) => {
    await env.DB.prepare("UPDATE service_tokens SET expires_at = ?1 WHERE id = ?2")
      .bind(epochSeconds() - 1, ids.get(secret) ?? "")
      .run();
    return secret;
  };
  const ofAdmin = { kind: "admin", scopes: ["admin:read"] } as const;
  const ben = "ben@acme.example";
  const scoped: [string, string][] = [];
  for (const scope of API_SCOPES) scoped.push([`client-api, ${scope}`, await ofPerson(ben, scope)]);
  return single({
    ...Object.fromEntries(scoped),
    "client-api, expired": await expire(await ofPerson(ben, "SEARCH")),
    "client-api, revoked": await revoke(await ofPerson(ben, "SEARCH")),
    "client-api, of a deactivated person": await ofPerson("carla@acme.example", "SEARCH"),
    "client-api, unknown": await makeServiceToken("client-api"),
    "indexing, documents": await issue({}),
    "indexing, custom metadata": await issue({ scopes: ["custommetadata:global_scope"] }),
    "indexing, expired": await expire(await issue({})),
    "indexing, revoked": await revoke(await issue({})),
    "indexing, unknown": await makeServiceToken("indexing"),
    "admin, reading": await issue(ofAdmin),
    "admin, expired": await expire(await issue(ofAdmin)),
    "admin, revoked": await revoke(await issue(ofAdmin)),
    "admin, unknown": await makeServiceToken("admin"),
  });
}

/** Creates one credential of every kind. At the end it deactivates Carla, to whom some of them belong. */
export async function allCredentials(
  instance: InstanceRecord,
): Promise<{ issuers: Issuers; credentials: Credentials; key: DpopKey }> {
  const key = await DpopKey.make();
  const own = await ownCredentials(instance, key);
  const external = await externalCredentials(key);
  const serviceIssued = await serviceIssuedCredentials(instance);
  await setDeactivated(instance, "carla@acme.example");
  const [good = ""] = own["own, SEARCH"] ?? [];
  const credentials = {
    none: [],
    ...own,
    ...external.credentials,
    ...serviceIssued,
    ...byProof(
      single({ "client-api, SEARCH": serviceIssued["client-api, SEARCH"]?.[0]?.replace("Bearer ", "") ?? "" }),
    ),
    opaque: ["Bearer 2YotnFZFEjr1zCsicMWpAA"],
    "a malformed JWT": [`${external.credentials["external, SEARCH"]?.[0] ?? ""}=`],
    "a malformed JWT of this server": [`${good}=`],
    "two Authorization headers": [good, serviceIssued["client-api, SEARCH"]?.[0] ?? ""],
  };
  return { issuers: external.issuers, credentials, key };
}

function single(tokens: Readonly<Record<string, string>>): Credentials {
  return Object.fromEntries(Object.entries(tokens).map(([kind, token]) => [kind, [`Bearer ${token}`]]));
}
