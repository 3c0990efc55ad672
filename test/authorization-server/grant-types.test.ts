import type { InstanceRecord } from "#instance/instances.ts";
import type { ServiceAccount } from "#service-accounts/service-account.ts";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { AppClient, basic, type Changes, postBody, postForm, type TokenAnswer } from "../support/app-client.ts";
import type { ClientKey } from "../support/asserting-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { DpopKey } from "../support/dpop-key.ts";
import { takeApart } from "../support/forged-tokens.ts";
import { expectOAuthError } from "../support/oauth-answers.ts";
import { makeKeyedAccount, makeServiceAccount } from "../support/service-accounts.ts";
import { TestIssuer } from "../support/test-issuer.ts";
import { changeSettings, makeInstance, ORIGIN } from "../support/world.ts";

/** What a grant type presents, and what authenticates the client of each request with it. */
interface Presented {
  readonly proof: Changes;
  readonly credentials: () => Promise<Changes>;
}

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";

describe("every grant type", () => {
  let acme: InstanceRecord;
  let idp: TestIssuer;
  let provider: TestIssuer;
  let app: AppClient;
  let grants: DirectGrants;
  let machine: ServiceAccount;
  let machineKey: ClientKey;
  let dpop: DpopKey;

  beforeAll(async () => {
    acme = await makeInstance();
    idp = await TestIssuer.publishing("rsa");
    app = await AppClient.madeByAdministrator(acme, {
      tokenEndpointAuthMethod: "client_secret_post",
      mayExchangeTokens: true,
    });
    grants = new DirectGrants(acme);
    ({ account: machine, key: machineKey } = await makeKeyedAccount(acme));
    const workload = { issuer: idp.url, claims: { sub: "job" }, isSingleUse: true };
    await makeServiceAccount(acme, { proof: { workload } });
    await idp.register(acme, { accepts: "id-jags", clientIds: [app.clientId], audiences: [], scopes: ["SEARCH"] });
    provider = await TestIssuer.publishing("rsa");
    await provider.register(acme);
    dpop = await DpopKey.make();
  });
  afterEach(() => changeSettings(acme.name, { appRequirements: [] }));

  const asApp = async (): Promise<Changes> => ({ client_id: app.clientId, client_secret: app.secret });

  async function assertion(typ: string, claims: Changes): Promise<string> {
    const forge = await idp.forge("rsa");
    const iat = Math.floor(Date.now() / 1000);
    const named = { azp: undefined, aud: ORIGIN, jti: crypto.randomUUID(), iat, exp: iat + 300, ...claims };
    return forge.sign({ ...forge.header, typ }, { ...forge.claims, ...named });
  }

  async function code(): Promise<Changes> {
    const { code: given, verifier } = await grants.grant(app);
    return { grant_type: "authorization_code", code: given, code_verifier: verifier };
  }

  const TYPES: [string, () => Promise<Presented>][] = [
    ["authorization_code", async () => ({ proof: await code(), credentials: asApp })],
    [
      "refresh_token",
      async () => {
        const { refresh_token } = await (
          await postForm("/oauth/token", { ...(await code()), ...(await asApp()) })
        ).json<TokenAnswer>();
        return { proof: { grant_type: "refresh_token", refresh_token }, credentials: asApp };
      },
    ],
    [
      "client_credentials",
      async () => ({
        proof: { grant_type: "client_credentials" },
        credentials: () => machineKey.authenticates(machine.id),
      }),
    ],
    [
      "token exchange",
      async () => ({
        proof: {
          grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
          subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
          subject_token: await provider.token(),
        },
        credentials: asApp,
      }),
    ],
    [
      "jwt-bearer of an identity provider",
      async () => ({
        proof: {
          grant_type: JWT_BEARER,
          assertion: await assertion("oauth-id-jag+jwt", { client_id: app.clientId }),
        },
        credentials: asApp,
      }),
    ],
    [
      "jwt-bearer of a workload",
      async () => ({
        proof: { grant_type: JWT_BEARER, assertion: await assertion("JWT", { sub: "job" }) },
        credentials: async () => ({}),
      }),
    ],
  ];

  const present = async ({ proof, credentials }: Presented, changes: Changes = {}, headers = {}) =>
    postForm("/oauth/token", { ...proof, ...(await credentials()), ...changes }, headers);

  const boundTo = async () => ({ DPoP: await dpop.freshProof() });

  describe.each(TYPES)("%s", (name, make) => {
    it(`uses nothing of ${name} up for a request that lacks a required key, and binds the tokens to it`, async () => {
      const presented = await make();
      await changeSettings(acme.name, { appRequirements: ["dpop"] });
      await expectOAuthError(await present(presented), 400, "invalid_dpop_proof");
      const answer = await (await present(presented, {}, await boundTo())).json<TokenAnswer>();
      expect(answer.token_type).toBe("DPoP");
      expect(takeApart(answer.access_token).claims["cnf"]).toEqual({ jkt: dpop.thumbprint });
    });

    it(`uses nothing of ${name} up for a resource of another server`, async () => {
      const presented = await make();
      const elsewhere = { resource: "https://elsewhere.example" };
      await expectOAuthError(await present(presented, elsewhere), 400, "invalid_target");
      expect((await present(presented, { resource: `${ORIGIN}/mcp` })).status).toBe(200);
    });

    it(`refuses ${name} with a parameter that is sent twice`, async () => {
      const { proof, credentials } = await make();
      const form = new URLSearchParams(Object.entries({ ...proof, ...(await credentials()) }) as [string, string][]);
      form.append("scope", "SEARCH");
      form.append("scope", "CHAT");
      await expectOAuthError(await postBody("/oauth/token", form.toString()), 400, "invalid_request");
    });

    it(`refuses ${name} with wrong credentials of a client, and uses nothing up`, async () => {
      const presented = await make();
      const wrong = { Authorization: basic(app.clientId, "wrong") };
      const withoutCredentials = { ...presented, credentials: async () => ({}) };
      await expectOAuthError(await present(withoutCredentials, {}, wrong), 401, "invalid_client");
      expect((await present(presented)).status).toBe(200);
    });

    it(`refuses ${name} with a broken proof of a key before the client authenticates`, async () => {
      const presented = await make();
      const broken = { DPoP: await dpop.freshProof({ claims: { htm: "GET" } }) };
      await expectOAuthError(
        await present(presented, { client_secret: "wrong", client_assertion: undefined }, broken),
        400,
        "invalid_dpop_proof",
      );
    });
  });

  it.each(TYPES.filter(([name]) => !name.includes("client_credentials")))(
    "%s needs the client's key if all apps must have one",
    async (name, make) => {
      const presented = await make();
      await changeSettings(acme.name, { appRequirements: ["private_key_jwt"] });
      await expectOAuthError(await present(presented), 400, "unauthorized_client");
      await changeSettings(acme.name, { appRequirements: [] });
      expect((await present(presented)).status, name).toBe(200);
    },
  );
});
