import type { InstanceRecord } from "#instance/instances.ts";
import { CLOCK_TOLERANCE_SECONDS } from "#protocol/numeric-date.ts";
import type { ServiceAccount } from "#service-accounts/service-account.ts";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { AppClient, type Changes, postForm, search, type TokenAnswer } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { DocumentHost } from "../support/document-host.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { callTool, toolAnswer } from "../support/mcp.ts";
import { DpopKey } from "../support/dpop-key.ts";
import { expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { draft, found, Pipeline } from "../support/pipeline.ts";
import {
  changeServiceAccount,
  decideServiceAccount,
  makeKeyedAccount,
  makeServiceAccount,
} from "../support/service-accounts.ts";
import { ANNOUNCED, type KeyName, TestIssuer } from "../support/test-issuer.ts";
import { changeSettings, disableClient, makeInstance, ORIGIN, removeClient, send, travel } from "../support/world.ts";

type Json = Readonly<Record<string, unknown>>;

const AGENT = "https://agent.example/client.json";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

describe("service accounts", () => {
  let acme: InstanceRecord;
  let account: ServiceAccount;
  let key: ClientKey;

  beforeAll(async () => {
    acme = await makeInstance();
    await makeInstance("other");
    ({ account, key } = await makeKeyedAccount(acme, {
      name: "nightly",
      groups: ["Finance"],
      scopes: ["SEARCH", "CHAT"],
    }));
    const pipeline = await Pipeline.of(acme);
    await pipeline.index(
      draft("everybody"),
      draft("finance", { permissions: { allowedGroups: ["finance"] } }),
      draft("ben", { permissions: { allowedUsers: [{ email: "ben@acme.example" }] } }),
      draft("sales", { permissions: { allowedGroups: ["sales"] } }),
    );
  });
  afterEach(() => vi.useRealTimers());

  describe("with their own keys (RFC 6749 §4.4, RFC 7523 §2.2)", () => {
    async function request(changes: Changes = {}, claims: Json = {}): Promise<Response> {
      return postForm("/oauth/token", {
        grant_type: "client_credentials",
        ...(await key.authenticates(account.id, claims)),
        ...changes,
      });
    }

    async function tokenOf(changes: Changes = {}): Promise<string> {
      return (await expectTokens(await request(changes))).access_token;
    }

    /** Returns the titles of all documents that the tool search finds. */
    async function titlesByMcp(token: string): Promise<string[]> {
      const { results } = await toolAnswer<{ results: { title: string }[] }>(token, "search", { query: "title" });
      return results.map(({ title }) => title).sort((a, b) => a.localeCompare(b));
    }

    it("get a token whose subject is the client (RFC 9068 §2.2), and no refresh token", async () => {
      const tokens = await expectTokens(await request());
      expect(tokens).toMatchObject({ scope: "SEARCH CHAT", resource: ORIGIN });
      expect(tokens.refresh_token).toBeUndefined();
      expect(takeApart(tokens.access_token).claims).toMatchObject({
        sub: account.id,
        client_id: account.id,
        aud: ORIGIN,
      });
    });

    it("find documents for everybody and for their groups, through the Client API and /mcp", async () => {
      expect(await found(await tokenOf(), "title")).toEqual(["everybody", "finance"]);
      const titles = await titlesByMcp(await tokenOf({ resource: `${ORIGIN}/mcp` }));
      expect(titles).toEqual(["Title of everybody", "Title of finance"]);
    });

    it("have a name and no email, whatever scope they ask for", async () => {
      const tokens = await expectTokens(await request({ scope: "SEARCH openid email offline_access" }));
      expect(tokens).toMatchObject({ scope: "SEARCH" });
      expect(tokens).not.toHaveProperty("id_token");
      const { structuredContent } = await callTool(tokens.access_token, "whoami", {});
      expect(structuredContent).toEqual({ id: account.id, name: "nightly" });
    });

    it("are refused by the Indexing API", async () => {
      const response = await new Pipeline(await tokenOf()).post("/api/index/v1/indexdocuments", {
        documents: [draft("x")],
      });
      expect(response.status).toBe(401);
    });

    it("get the scope and the resource that they request, and are refused those that they may not have", async () => {
      expect((await expectTokens(await request({ scope: "chat" }))).scope).toBe("chat");
      await expectOAuthError(await request({ scope: "DOCUMENTS" }), 400, "invalid_scope");
      await expectOAuthError(await request({ resource: "https://elsewhere.example" }), 400, "invalid_target");
      expect(takeApart(await tokenOf({ resource: `${ORIGIN}/mcp` })).claims["aud"]).toBe(`${ORIGIN}/mcp`);
    });

    it("are refused without an assertion, with an error that names private_key_jwt", async () => {
      for (const changes of [{ client_secret: "secret" }, {}]) {
        const response = await postForm("/oauth/token", {
          grant_type: "client_credentials",
          client_id: account.id,
          ...changes,
        });
        const { error, error_description: said } = await response.json<Record<string, string>>();
        expect([response.status, error]).toEqual([401, "invalid_client"]);
        expect(said).toContain("private_key_jwt");
      }
    });

    it.each<[string, Json]>([
      ["for another server", { aud: "https://acme.other.example" }],
      ["for another instance", { aud: "http://other.localhost" }],
      ["of another client", { sub: "other", iss: "other" }],
      ["that has expired", { exp: 1 }],
    ])("are refused with an assertion %s", async (_name, claims) => {
      await expectOAuthError(await request({}, claims), 401, "invalid_client");
    });

    it("are refused with an assertion that was used before, and by another instance", async () => {
      const assertion = await key.authenticates(account.id);
      await expectTokens(await request(assertion));
      await expectOAuthError(await request(assertion), 401, "invalid_client");
      const elsewhere = await key.authenticates(account.id, { aud: "http://other.localhost" });
      const form = { grant_type: "client_credentials", ...elsewhere };
      await expectOAuthError(await postForm("http://other.localhost/oauth/token", form), 401, "invalid_client");
    });

    it("must meet the instance's requirements for apps", async () => {
      await changeSettings("acme", { appRequirements: ["dpop", "private_key_jwt"] });
      await expectOAuthError(await request(), 400, "invalid_dpop_proof");
      const form = { grant_type: "client_credentials", ...(await key.authenticates(account.id)) };
      const proof = await (await DpopKey.make()).freshProof();
      const bound = await (await postForm("/oauth/token", form, { DPoP: proof })).json();
      expect(bound).toMatchObject({ token_type: "DPoP" });
      await changeSettings("acme", { appRequirements: [] });
    });

    it("are the only clients that get a token for themselves: an app that registered itself is refused", async () => {
      const jwks = { keys: [key.publicJwk] };
      const app = await AppClient.registered({ token_endpoint_auth_method: "private_key_jwt", jwks });
      const response = await request(await key.authenticates(app.clientId));
      await expectOAuthError(response, 400, "unauthorized_client");
    });

    it("never act for a person, neither by consent nor by an identity assertion", async () => {
      const app = AppClient.of(account.id, "https://app.example/cb");
      const answer = await app.browser().visit(app.authorizeUrl("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
      expect("leftFor" in answer).toBe(false);
      const idp = await TestIssuer.publishing("rsa");
      await idp.register(acme, { accepts: "id-jags", clientIds: [account.id] });
      const forge = await idp.forge();
      const now = Math.floor(Date.now() / 1000);
      const claims = { ...forge.claims, aud: ORIGIN, client_id: account.id, jti: "jag", iat: now, exp: now + 60 };
      const assertion = await forge.sign({ ...forge.header, typ: "oauth-id-jag+jwt" }, claims);
      const response = await request({ grant_type: JWT_BEARER, assertion });
      await expectOAuthError(response, 400, "unauthorized_client");
    });

    it("don't find a group's documents once an administrator has removed the group, with old and new tokens", async () => {
      const { account: other, key: otherKey } = await makeKeyedAccount(acme, { groups: ["sales"] });
      const newToken = async (resource: string) => {
        const form = { grant_type: "client_credentials", resource, ...(await otherKey.authenticates(other.id)) };
        return (await expectTokens(await postForm("/oauth/token", form))).access_token;
      };
      const [old, oldOfMcp] = [await newToken(ORIGIN), await newToken(`${ORIGIN}/mcp`)];
      expect(await found(old, "title")).toEqual(["everybody", "sales"]);
      expect(await titlesByMcp(oldOfMcp)).toEqual(["Title of everybody", "Title of sales"]);
      await changeServiceAccount(acme, other, { groups: [] });
      travel(11);
      for (const token of [old, await newToken(ORIGIN)]) expect(await found(token, "title")).toEqual(["everybody"]);
      for (const token of [oldOfMcp, await newToken(`${ORIGIN}/mcp`)]) {
        expect(await titlesByMcp(token)).toEqual(["Title of everybody"]);
      }
    });

    it("are refused by search once an administrator has removed the scope SEARCH", async () => {
      const { account: other, key: otherKey } = await makeKeyedAccount(acme, {
        groups: ["sales"],
        scopes: ["SEARCH", "CHAT"],
      });
      const form = { grant_type: "client_credentials", ...(await otherKey.authenticates(other.id)) };
      const { access_token: token } = await expectTokens(await postForm("/oauth/token", form));
      expect(await found(token, "title")).toEqual(["everybody", "sales"]);
      await changeServiceAccount(acme, other, { groups: [], scopes: ["CHAT"] });
      travel(11);
      expect((await search(token)).status).toBe(403);
    });

    it("are refused by the Client API, /mcp and introspection ten seconds after being disabled, in another isolate too", async () => {
      const isolate = new ObservedIsolate();
      const { account: other, key: otherKey } = await makeKeyedAccount(acme);
      const form = { grant_type: "client_credentials", ...(await otherKey.authenticates(other.id)) };
      const { access_token: token } = await expectTokens(await postForm("/oauth/token", form));
      const statuses = async () => {
        const question = { token, ...(await otherKey.authenticates(other.id)) };
        const { active, error } = await (await postForm("/oauth/introspect", question)).json<Json>();
        const list = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
        const headers = {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          Authorization: `Bearer ${token}`,
        };
        const mcp = await isolate.send(`${ORIGIN}/mcp`, { method: "POST", headers, body: list });
        return [(await isolate.search(token)).status, mcp.status, active ?? error];
      };
      expect(await statuses()).toEqual([200, 200, true]);
      await decideServiceAccount(acme, other.id, "disable");
      travel(10);
      expect(await statuses()).toEqual([401, 401, "invalid_client"]);
    });

    it.each(["disable", "remove"] as const)(
      "lose their tokens and get no new ones after an administrator's decision: %s",
      async (decision) => {
        const { account: other, key: otherKey } = await makeKeyedAccount(acme);
        const ask = async () =>
          postForm("/oauth/token", { grant_type: "client_credentials", ...(await otherKey.authenticates(other.id)) });
        const { access_token: token } = await expectTokens(await ask());
        expect((await search(token)).status).toBe(200);
        expect(await decideServiceAccount(acme, other.id, decision)).toBe(true);
        expect((await search(token)).status).toBe(401);
        await expectOAuthError(await ask(), 401, "invalid_client");
        expect(await decideServiceAccount(acme, other.id, "enable")).toBe(decision === "disable");
        expect((await search(token)).status).toBe(401);
        expect((await ask()).status).toBe(decision === "disable" ? 200 : 401);
      },
    );
  });

  describe("with workload identity (RFC 7523 §2.1)", () => {
    let platform: TestIssuer;
    let job: ServiceAccount;

    beforeAll(async () => {
      platform = await TestIssuer.publishing("rsa");
      job = await makeServiceAccount(acme, { name: "deploy", groups: ["finance"], proof: { workload: rule() } });
    });

    function rule(
      claims: Record<string, string> = { repository: "acme/search", ref: "refs/heads/main" },
      isSingleUse = false,
    ) {
      return { issuer: platform.url, claims, isSingleUse };
    }

    /** Returns a platform's token for a job; `undefined` leaves a claim out. */
    async function workloadToken(claims: Json = {}, header: Json = {}, name: KeyName = "rsa"): Promise<string> {
      const forge = await platform.forge(name);
      const now = Math.floor(Date.now() / 1000);
      const usual = {
        iss: platform.url,
        aud: ORIGIN,
        sub: "repo:acme/search",
        repository: "acme/search",
        ref: "refs/heads/main",
      };
      const times = { iat: now, exp: now + 300, jti: crypto.randomUUID() };
      return forge.sign({ ...forge.header, typ: "JWT", ...header }, { ...usual, ...times, ...claims });
    }

    async function present(assertion: string | Promise<string>, changes: Changes = {}): Promise<Response> {
      return postForm("/oauth/token", { grant_type: JWT_BEARER, assertion: await assertion, ...changes });
    }

    async function refused(assertion: string | Promise<string>): Promise<void> {
      await expectOAuthError(await present(assertion), 400, "invalid_grant");
    }

    it("get a token for a platform's token, without any secret, and search with the account's groups", async () => {
      const tokens = await (await present(workloadToken(), { resource: ORIGIN })).json<TokenAnswer>();
      expect(takeApart(tokens.access_token).claims).toMatchObject({ sub: job.id, client_id: job.id });
      expect(await found(tokens.access_token, "title")).toEqual(["everybody", "finance"]);
      await expectTokens(await present(workloadToken({ aud: [`${ORIGIN}/oauth/token`] })));
    });

    it.each<[string, Json]>([
      ["another repository", { repository: "acme/other" }],
      ["the repository in other letters", { repository: "Acme/Search" }],
      ["the repository in a list", { repository: ["acme/search"] }],
      ["a repository that begins alike", { repository: "acme/search2" }],
      ["the repository in an object", { repository: { name: "acme/search" } }],
      ["no repository", { repository: undefined }],
      ["another branch", { ref: "refs/heads/evil" }],
      ["another audience", { aud: "https://acme.other.example" }],
      ["another instance's audience", { aud: "http://other.localhost" }],
      ["a second audience", { aud: [ORIGIN, "https://elsewhere.example"] }],
      ["no audience", { aud: [] }],
      ["an issuer that no rule is about", { iss: "https://token.actions.githubusercontent.com" }],
      ["the issuer in a list", { iss: ["x"] }],
      ["a key that it is bound to", { cnf: { jkt: "A".repeat(43) } }],
      ["a certificate that it is bound to", { cnf: { "x5t#S256": "A".repeat(43) } }],
      ["a binding that names nothing", { cnf: null }],
      ["an event", { events: { "http://schemas.openid.net/event/backchannel-logout": {} } }],
      ["an end in the past", { exp: 1 }],
      ["an end that is text", { exp: "9999999999" }],
      ["no end", { exp: undefined }],
      ["an end far away", { exp: 9_999_999_999 }],
      ["a beginning that is to come", { iat: 9_999_999_000 }],
      ["a first moment that is to come", { nbf: 9_999_999_000 }],
    ])("are refused with %s", async (_name, claims) => {
      await refused(workloadToken(claims));
    });

    it.each<[string, Json]>([
      ["the type of an access token", { typ: "at+jwt" }],
      ["the type of a logout token", { typ: "logout+jwt" }],
      ["no algorithm", { alg: "none" }],
      ["a shared secret's algorithm", { alg: "HS256" }],
      ["no key id", { kid: undefined }],
      ["a key that the platform doesn't publish", { kid: "other" }],
      ["a key of its own", { jwk: { kty: "RSA" } }],
    ])("are refused with %s", async (_name, header) => {
      await refused(workloadToken({}, header));
    });

    it("are accepted with a platform's token that is bound to a key, if the request proves this key (RFC 7800, RFC 9449)", async () => {
      const [own, other] = [await DpopKey.make(), await DpopKey.make()];
      const presentBy = async (prover: DpopKey) => {
        const assertion = await workloadToken({ cnf: { jkt: own.thumbprint } });
        const form = { grant_type: JWT_BEARER, assertion };
        return postForm("/oauth/token", form, { DPoP: await prover.freshProof() });
      };
      await expectOAuthError(await presentBy(other), 400, "invalid_grant");
      const { access_token } = await (await presentBy(own)).json<TokenAnswer>();
      expect(takeApart(access_token).claims["cnf"]).toEqual({ jkt: own.thumbprint });
    });

    it("are refused with another key's signature, and with none", async () => {
      const [header = "", claims = ""] = (await workloadToken()).split(".");
      const { kid } = takeApart(`${header}.${claims}.AA`).header;
      await refused(workloadToken({}, { kid }, "rsaNext"));
      await refused(`${header}.${claims}.`);
    });

    it("are refused with a token that another trusted platform signed", async () => {
      const other = await TestIssuer.publishing("ec");
      const trusted = { issuer: other.url, claims: { sub: "other" }, isSingleUse: false };
      await makeServiceAccount(acme, { proof: { workload: trusted } });
      const now = Math.floor(Date.now() / 1000);
      const ours = { sub: "repo:acme/search", repository: "acme/search", ref: "refs/heads/main" };
      const forge = await other.forge("ec");
      const claims = { ...ours, aud: ORIGIN, iat: now, exp: now + 300, jti: crypto.randomUUID() };
      await refused(forge.sign({ ...forge.header, typ: "JWT" }, { ...claims, iss: platform.url }));
      await refused(forge.sign({ ...forge.header, typ: "JWT", alg: "RS256" }, { ...claims, iss: platform.url }));
      await expectTokens(
        await present(forge.sign({ ...forge.header, typ: "JWT" }, { ...claims, sub: "other", iss: other.url })),
      );
    });

    it("may present a platform's token again, unless the rule makes tokens single-use", async () => {
      const again = await workloadToken();
      for (let time = 0; time < 2; time += 1) await expectTokens(await present(again));
      await makeServiceAccount(acme, { proof: { workload: rule({ sub: "once" }, true) } });
      const once = await workloadToken({ sub: "once", repository: "x" });
      const statuses = (await Promise.all(Array.from({ length: 5 }, () => present(once)))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      for (const jti of [undefined, "", 7, "j".repeat(257)]) {
        await refused(workloadToken({ sub: "once", repository: "x", jti }));
      }
      const exp = Math.floor(Date.now() / 1000) + 7200;
      await refused(workloadToken({ sub: "once", repository: "x", exp, iat: undefined }));
    });

    it("may present a single-use token that is valid for longer than an hour once in its first hour, and not later", async () => {
      await makeServiceAccount(acme, { proof: { workload: rule({ sub: "six-hours" }, true) } });
      // The clock stands still from here on: otherwise, a slow machine would be late for the last second.
      travel(0);
      const now = Math.floor(Date.now() / 1000);
      const ofJob = (iat: number) => workloadToken({ sub: "six-hours", repository: "x", iat, exp: iat + 21_600 });
      const young = await ofJob(now);
      const kept = await ofJob(now);
      await expectTokens(await present(young));
      await refused(young);
      // The last second in which the token is still accepted, so the record of its use must still exist.
      travel(3600 - 2 * CLOCK_TOLERANCE_SECONDS + CLOCK_TOLERANCE_SECONDS - 1);
      await refused(young);
      await expectTokens(await present(kept));
      travel(2);
      await refused(ofJob(now));
    });

    it.each<[string, Record<string, string>, Json, Json]>([
      [
        "GitHub Actions",
        { repository: "octo-org/octo-repo", ref: "refs/heads/main" },
        { typ: "JWT", x5t: "example-thumbprint" },
        {
          sub: "repo:octo-org/octo-repo:environment:prod",
          repository: "octo-org/octo-repo",
          repository_owner: "octo-org",
          repository_visibility: "private",
          ref_protected: "false",
          run_attempt: "2",
          job_workflow_ref: "octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main",
        },
      ],
      [
        "GitLab",
        { project_path: "my-group/my-project", ref: "feature-branch-1", ref_type: "branch" },
        { typ: "JWT" },
        {
          sub: "project_path:my-group/my-project:ref_type:branch:ref:feature-branch-1",
          project_path: "my-group/my-project",
          project_id: "22",
          ref: "feature-branch-1",
          ref_type: "branch",
          user_identities: [{ provider: "github", extern_uid: "2435223452345" }],
          groups_direct: ["mygroup/mysubgroup"],
        },
      ],
      [
        "Kubernetes",
        { sub: "system:serviceaccount:build:indexer" },
        { typ: undefined },
        {
          aud: [ORIGIN],
          sub: "system:serviceaccount:build:indexer",
          "kubernetes.io": { namespace: "build", serviceaccount: { name: "indexer", uid: "14ee3fa4" }, warnafter: 1 },
        },
      ],
      [
        "Google Cloud",
        { sub: "107517467455664443765" },
        { typ: "JWT" },
        {
          sub: "107517467455664443765",
          azp: "107517467455664443765",
          email: "job@project.iam.gserviceaccount.com",
          email_verified: true,
          jti: undefined,
        },
      ],
      [
        "Azure",
        { oid: "00aa00aa-bb11" },
        { typ: "JWT", x5t: "thumbprint" },
        { aud: `${ORIGIN}/`, sub: "00aa00aa-bb11", oid: "00aa00aa-bb11", appid: "client", ver: "1.0", jti: undefined },
      ],
    ])("are accepted with a token as %s signs it", async (name, claims, header, payload) => {
      const { id } = await makeServiceAccount(acme, { proof: { workload: rule(claims) } });
      const nbf = Math.floor(Date.now() / 1000) - 300;
      const token = workloadToken({ repository: undefined, ref: "refs/heads/main", nbf, ...payload }, header);
      const tokens = await expectTokens(await present(token));
      expect({ name, sub: takeApart(tokens.access_token).claims["sub"] }).toEqual({ name, sub: id });
    });

    it("get a 503 with Retry-After while the platform's keys can't be fetched", async () => {
      const down = await TestIssuer.publishing("rsa");
      await down.set({ faults: { keys: "down" } });
      await makeServiceAccount(acme, { proof: { workload: { ...rule({ sub: "down" }), issuer: down.url } } });
      const answer = await present(workloadToken({ iss: down.url, sub: "down" }));
      expect(answer.headers.get("Retry-After")).toMatch(/^\d+$/);
      await expectOAuthError(answer, 503, "temporarily_unavailable");
    });

    it("don't use up a single-use token by a request for a scope or resource that they may not have", async () => {
      await makeServiceAccount(acme, { proof: { workload: rule({ sub: "kept" }, true) } });
      const once = await workloadToken({ sub: "kept", repository: "x" });
      await expectOAuthError(await present(once, { scope: "DOCUMENTS" }), 400, "invalid_scope");
      await expectOAuthError(await present(once, { resource: "https://elsewhere.example" }), 400, "invalid_target");
      await expectTokens(await present(once));
    });

    it("get the same error for trusted and other claims if the token's signature is wrong", async () => {
      const answers = ["acme/search", "acme/other"].map(async (repository) => {
        const [header = "", claims = ""] = (await workloadToken({ repository })).split(".");
        const { error_description: said } = await (await present(`${header}.${claims}.AAAA`)).json<Json>();
        return said;
      });
      const [right, wrong] = await Promise.all(answers);
      expect(right).toBe(wrong);
    });

    it("are refused if the request also has wrong credentials or those of another client (RFC 7523 §3.1)", async () => {
      const wrong = { client_id: job.id, client_secret: "wrong" };
      await expectOAuthError(await present(workloadToken(), wrong), 401, "invalid_client");
      const app = await AppClient.madeByAdministrator(acme, { tokenEndpointAuthMethod: "client_secret_post" });
      const anothers = { client_id: app.clientId, client_secret: app.secret };
      await expectOAuthError(await present(workloadToken(), anothers), 400, "invalid_grant");
    });

    it("are refused while the instance requires private_key_jwt, because a platform's token is no key of the client", async () => {
      await changeSettings("acme", { appRequirements: ["private_key_jwt"] });
      await expectOAuthError(await present(workloadToken()), 400, "unauthorized_client");
      await changeSettings("acme", { appRequirements: [] });
    });

    it("must name the account if several match", async () => {
      const twins = await Promise.all(
        [1, 2].map(() => makeServiceAccount(acme, { proof: { workload: rule({ sub: "twin" }) } })),
      );
      await refused(workloadToken({ sub: "twin", repository: "x" }));
      const [first] = twins;
      const answer = await expectTokens(
        await present(workloadToken({ sub: "twin", repository: "x" }), { client_id: first?.id }),
      );
      expect(takeApart(answer.access_token).claims["sub"]).toBe(first?.id);
      await expectOAuthError(await present(workloadToken(), { client_id: first?.id }), 400, "invalid_grant");
    });

    it("are refused once their rule no longer matches or the account is disabled", async () => {
      const made = await makeServiceAccount(acme, { proof: { workload: rule({ sub: "ended" }) } });
      const ask = async () => present(workloadToken({ sub: "ended", repository: "x" }));
      const { access_token: token } = await expectTokens(await ask());
      await changeServiceAccount(acme, made, { proof: { workload: rule({ sub: "another" }) } });
      await expectOAuthError(await ask(), 400, "invalid_grant");
      await decideServiceAccount(acme, made.id, "disable");
      expect((await search(token)).status).toBe(401);
      await expectOAuthError(await present(workloadToken({ sub: "another", repository: "x" })), 400, "invalid_grant");
    });

    it("can't use a platform's token as an access token, and have no client secret", async () => {
      await changeSettings("acme", { externalTokensEnabled: true });
      expect((await search(await workloadToken(), undefined, ANNOUNCED)).status).toBe(403);
      const form = { grant_type: "client_credentials", client_id: job.id, client_secret: "workload" };
      await expectOAuthError(await postForm("/oauth/token", form), 401, "invalid_client");
    });
  });
});

describe("an app with a metadata document that an administrator bound to a service account", () => {
  let acme: InstanceRecord;
  let key: ClientKey;
  let documents: DocumentHost;

  beforeAll(async () => {
    acme = await makeInstance("agents");
    key = await ClientKey.make();
    const pipeline = await Pipeline.of(acme, undefined, AGENTS);
    await pipeline.index(
      draft("finance", { permissions: { allowedGroups: ["finance"] } }),
      draft("sales", { permissions: { allowedGroups: ["sales"] } }),
    );
  });
  beforeEach(() => {
    documents = new DocumentHost();
  });
  afterEach(() => vi.useRealTimers());

  const AGENTS = "http://agents.localhost";

  function publish(url: string, changes: Json = {}, keys = [key.publicJwk]): void {
    documents.publish(url, {
      client_id: url,
      client_name: "Agent",
      redirect_uris: ["https://agent.example/cb"],
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: `${url}.jwks`,
      ...changes,
    });
    documents.publish(`${url}.jwks`, { keys });
  }

  async function ask(client: string, changes: Changes = {}, by = key): Promise<Response> {
    const proof = await by.authenticates(client, { aud: AGENTS });
    return postForm(`${AGENTS}/oauth/token`, { grant_type: "client_credentials", ...proof, ...changes });
  }

  it("gets the account's tokens without anybody having used it, and finds what the account may see", async () => {
    publish(AGENT);
    await expectOAuthError(await ask(AGENT), 401, "invalid_client");
    expect(documents.asked).toEqual([]);
    const account = await makeServiceAccount(acme, {
      groups: ["finance"],
      scopes: ["SEARCH"],
      proof: { client: AGENT },
    });
    const tokens = await expectTokens(await ask(AGENT, { scope: "SEARCH CHAT" }));
    expect(tokens.scope).toBe("SEARCH");
    expect(takeApart(tokens.access_token).claims).toMatchObject({ sub: account.id, client_id: account.id });
    expect(await found(tokens.access_token, "title", AGENTS)).toEqual(["finance"]);
    await decideServiceAccount(acme, account.id, "disable");
    expect((await search(tokens.access_token, {}, {}, AGENTS)).status).toBe(401);
    await expectOAuthError(await ask(AGENT), 400, "invalid_grant");
  });

  it("must sign with the keys of its document: no other key, no secret, no assertion of the account, and each once", async () => {
    const url = "https://agent.example/keys.json";
    publish(url);
    const account = await makeServiceAccount(acme, { proof: { client: url } });
    await expectOAuthError(await ask(url, {}, await ClientKey.make()), 401, "invalid_client");
    const unsigned = { grant_type: "client_credentials", client_id: url, client_secret: "x" };
    await expectOAuthError(await postForm(`${AGENTS}/oauth/token`, unsigned), 401, "invalid_client");
    await expectOAuthError(await ask(account.id), 401, "invalid_client");
    const proof = await key.authenticates(url, { aud: AGENTS });
    const request = { grant_type: "client_credentials", ...proof };
    await expectTokens(await postForm(`${AGENTS}/oauth/token`, request));
    await expectOAuthError(await postForm(`${AGENTS}/oauth/token`, request), 401, "invalid_client");
  });

  it("gets nothing if nobody bound it, if two accounts have it, or if its document asks for more than it does", async () => {
    const [unbound, twice, strict] = ["unbound", "twice", "strict"].map(
      (name) => `https://agent.example/${name}.json`,
    ) as [string, string, string];
    for (const url of [unbound, twice]) publish(url);
    publish(strict, { dpop_bound_access_tokens: true });
    const query = new URLSearchParams({ client_id: unbound, redirect_uri: "https://agent.example/cb" });
    await send(`${AGENTS}/oauth/authorize?${query.toString()}`);
    await expectOAuthError(await ask(unbound), 400, "unauthorized_client");
    for (const _ of [1, 2]) await makeServiceAccount(acme, { proof: { client: twice } });
    await expectOAuthError(await ask(twice), 400, "unauthorized_client");
    await makeServiceAccount(acme, { proof: { client: strict } });
    await expectOAuthError(await ask(strict), 400, "invalid_dpop_proof");
  });

  it("loses the account when it is bound to another, and counts as signed where all apps need a key", async () => {
    const url = "https://agent.example/moves.json";
    publish(url);
    const account = await makeServiceAccount(acme, { proof: { client: url } });
    await changeSettings("agents", { appRequirements: ["private_key_jwt"] });
    await expectTokens(await ask(url));
    await changeSettings("agents", { appRequirements: [] });
    await changeServiceAccount(acme, account, { proof: { client: AGENT } });
    await expectOAuthError(await ask(url), 400, "unauthorized_client");
  });

  it("can't be removed before its account, because its next request would make it known again", async () => {
    const url = "https://agent.example/remove.json";
    publish(url);
    const account = await makeServiceAccount(acme, { scopes: ["SEARCH"], proof: { client: url } });
    const tokens = await expectTokens(await ask(url, { scope: "SEARCH" }));
    await expect(removeClient(acme, url)).rejects.toThrow("A service account signs in with this app");
    expect((await search(tokens.access_token, {}, {}, AGENTS)).status).toBe(400);
    await decideServiceAccount(acme, account.id, "remove");
    await removeClient(acme, url);
    await expectOAuthError(await ask(url), 401, "invalid_client");
  });

  it("loses its tokens when administrators disable the app, and gets no others", async () => {
    const url = "https://agent.example/disable.json";
    publish(url);
    await makeServiceAccount(acme, { scopes: ["SEARCH"], proof: { client: url } });
    const tokens = await expectTokens(await ask(url, { scope: "SEARCH" }));
    expect((await search(tokens.access_token, {}, {}, AGENTS)).status).toBe(400);
    await disableClient(acme, url);
    await expectOAuthError(await ask(url), 401, "invalid_client");
    const refused = await search(tokens.access_token, {}, {}, AGENTS);
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ error: "client_not_registered" }),
    ]);
  });

  it.each(["http://agent.example/client.json", "agent", "https://agent.example/a/../client.json", ""])(
    "is named by the normal https URL of its document, not %j",
    async (client) => {
      await expect(makeServiceAccount(acme, { proof: { client } })).rejects.toMatchObject({ member: "client" });
    },
  );
});
