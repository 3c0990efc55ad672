import type { InstanceRecord } from "#instance/instances.ts";
import type { AppRequirement } from "#protocol/app-requirements.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { AppClient, CHALLENGE, type Changes, postForm, register, REDIRECT_URI, search } from "../support/app-client.ts";
import { ClientKey } from "../support/asserting-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { DocumentHost } from "../support/document-host.ts";
import { DpopKey } from "../support/dpop-key.ts";
import { env } from "../support/isolate.ts";
import { expectErrorAtApp, expectOAuthError, expectTokens } from "../support/oauth-answers.ts";
import { changeSettings, makeInstance, ORIGIN, requireClient, send } from "../support/world.ts";

let instance: InstanceRecord;
let grants: DirectGrants;
let key: DpopKey;

beforeAll(async () => {
  instance = await makeInstance();
  grants = new DirectGrants(instance);
  key = await DpopKey.make();
});

const requireOfAll = (...appRequirements: AppRequirement[]) => changeSettings(instance.name, { appRequirements });

afterEach(() => requireOfAll());

async function requireOf({ clientId }: AppClient, ...requirements: AppRequirement[]): Promise<void> {
  const { clients } = servicesOf(env).administrationOf(instance, "test");
  await clients.change(await requireClient(instance, clientId), { requirements });
}

/** Redeems a new code, or the one in `fields`. */
async function redeem(app: AppClient, proof?: string, fields: Changes = {}) {
  const { code, verifier } = await grants.grant(app);
  const body = { grant_type: "authorization_code", client_id: app.clientId, client_secret: app.secret, code };
  return postForm(
    "/oauth/token",
    { ...body, code_verifier: verifier, ...fields },
    proof === undefined ? {} : { DPoP: proof },
  );
}

/** Every way in which an app can be required to bind its tokens, and how the app is made. */
const BOUND: [string, () => Promise<AppClient>][] = [
  [
    "all apps",
    async () => {
      const app = await AppClient.madeByAdministrator(instance);
      await requireOfAll("dpop");
      return app;
    },
  ],
  ["an app when it is made", () => AppClient.madeByAdministrator(instance, { requirements: ["dpop"] })],
  [
    "an app that registered",
    async () => {
      const app = await AppClient.registered();
      await requireOf(app, "dpop");
      return app;
    },
  ],
  ["an app by its own word", () => AppClient.registered({ dpop_bound_access_tokens: true })],
];

describe("requirements for apps", () => {
  it.each(BOUND)(
    "for dpop of %s give no tokens without a proof, and a refused request doesn't spend the code",
    async (_who, make) => {
      const app = await make();
      const { code, verifier } = await grants.grant(app);
      const same = { code, code_verifier: verifier };
      await expectOAuthError(await redeem(app, undefined, same), 400, "invalid_dpop_proof");
      const response = await redeem(app, await key.freshProof(), same);
      expect(await response.json()).toMatchObject({ token_type: "DPoP" });
    },
  );

  it("for dpop let an existing bearer grant continue only with a proof, and a refused refresh doesn't spend the token", async () => {
    const app = await AppClient.madeByAdministrator(instance);
    const { refresh_token: first } = await expectTokens(await redeem(app));
    await requireOf(app, "dpop");
    await expectOAuthError(await app.refresh(first), 400, "invalid_dpop_proof");
    const refresh = { grant_type: "refresh_token", client_id: app.clientId, refresh_token: first };
    const response = await postForm("/oauth/token", refresh, { DPoP: await key.freshProof() });
    expect(await response.json()).toMatchObject({ token_type: "DPoP" });
    // A repetition of that refresh needs a proof too.
    await expectOAuthError(await app.refresh(first), 400, "invalid_dpop_proof");
  });

  it("for dpop of all apps end bearer tokens but no other kinds, and the metadata says so", async () => {
    const app = await AppClient.madeByAdministrator(instance);
    const { access_token: token } = await expectTokens(await redeem(app));
    expect((await search(token)).status).toBe(200);
    await requireOfAll("dpop");
    const refused = await search(token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("WWW-Authenticate")).toMatch(/error="invalid_token".*, DPoP algs="/);
    const metadata = await (await send("/.well-known/oauth-protected-resource")).json();
    expect(metadata).toMatchObject({ dpop_bound_access_tokens_required: true });
    await requireOfAll();
    expect((await search(token)).status).toBe(200);
    expect(await (await send("/.well-known/oauth-protected-resource")).json()).not.toHaveProperty(
      "dpop_bound_access_tokens_required",
    );
  });

  it.each<[string, () => Promise<AppClient>]>([
    [
      "all apps",
      async () => {
        const app = await AppClient.madeByAdministrator(instance);
        await requireOfAll("par");
        return app;
      },
    ],
    ["one app", () => AppClient.madeByAdministrator(instance, { requirements: ["par"] })],
    ["an app by its own word", () => AppClient.registered({ require_pushed_authorization_requests: true })],
  ])("for par of %s send a request that was not pushed back to the app as invalid_request", async (_who, make) => {
    const app = await make();
    const answer = expectErrorAtApp(await send(app.authorizeUrl(CHALLENGE)), REDIRECT_URI, "invalid_request");
    expect(answer.get("error_description")).toMatch(/must push/);
    const usual = Object.fromEntries(new URL(app.authorizeUrl(CHALLENGE)).searchParams);
    const { request_uri } = await (await postForm("/oauth/par", usual)).json<{ request_uri: string }>();
    const reference = new URLSearchParams({ client_id: app.clientId, request_uri }).toString();
    const taken = await send(`/oauth/authorize?${reference}`);
    expect(new URL(taken.headers.get("Location") ?? "").pathname).not.toBe(new URL(REDIRECT_URI).pathname);
  });

  it("for private_key_jwt refuse an app with a secret or none at every step, but not one with a key", async () => {
    const own = await ClientKey.make();
    const keyed = await AppClient.registered({
      client_name: "Keyed",
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [own.publicJwk] },
    });
    const open = await AppClient.madeByAdministrator(instance);
    const secret = await AppClient.madeByAdministrator(instance, { tokenEndpointAuthMethod: "client_secret_post" });
    await requireOfAll("private_key_jwt");
    for (const app of [open, secret]) {
      expectErrorAtApp(await send(app.authorizeUrl(CHALLENGE)), REDIRECT_URI, "unauthorized_client");
      await expectOAuthError(await redeem(app), 400, "unauthorized_client");
      const usual = Object.fromEntries(new URL(app.authorizeUrl(CHALLENGE)).searchParams);
      const pushed = await postForm("/oauth/par", { ...usual, client_secret: app.secret });
      await expectOAuthError(pushed, 400, "unauthorized_client");
    }
    // Somebody who only knows a confidential client's id learns nothing about it.
    await expectOAuthError(await redeem(secret, undefined, { client_secret: "wrong" }), 401, "invalid_client");
    const refused = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none" });
    await expectOAuthError(refused, 400, "invalid_client_metadata");
    const metadata = await (await send("/.well-known/oauth-authorization-server")).json();
    expect(metadata).toMatchObject({ token_endpoint_auth_methods_supported: ["private_key_jwt"] });
    expect((await send(keyed.authorizeUrl(CHALLENGE))).status).toBe(302);
    await expectTokens(await redeem(keyed, undefined, await own.authenticates(keyed.clientId)));
  });

  it("for private_key_jwt of an app whose document also lists none refuse requests without a key", async () => {
    const own = await ClientKey.make();
    const clientId = "https://app.example/required/client.json";
    new DocumentHost().publish(clientId, {
      client_id: clientId,
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
      dpop_bound_access_tokens: true,
      jwks: { keys: [own.publicJwk] },
    });
    const app = AppClient.of(clientId, REDIRECT_URI);
    const visit = async () => expect((await send(app.authorizeUrl(CHALLENGE))).status).toBe(302);
    await visit();
    await requireOf(app, "private_key_jwt");
    // Another visit rereads the document, which must not undo what an administrator requires.
    await visit();
    await expectOAuthError(await redeem(app, await key.freshProof()), 400, "unauthorized_client");
    const assertion = () => own.authenticates(clientId);
    const usual = Object.fromEntries(new URL(app.authorizeUrl(CHALLENGE)).searchParams);
    await expectOAuthError(await postForm("/oauth/par", usual), 400, "unauthorized_client");
    expect((await postForm("/oauth/par", { ...usual, ...(await assertion()) })).status).toBe(201);
    await expectOAuthError(await redeem(app, undefined, await assertion()), 400, "invalid_dpop_proof");
    expect((await redeem(app, await key.freshProof(), await assertion())).status).toBe(200);
  });

  it("of a registration are stored, returned, and refused unless they are booleans", async () => {
    const declared = { dpop_bound_access_tokens: true, require_pushed_authorization_requests: true };
    const response = await register({ redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: "none", ...declared });
    expect(await response.json()).toMatchObject(declared);
    for (const member of Object.keys(declared)) {
      const refused = await register({ redirect_uris: [REDIRECT_URI], [member]: "yes" });
      await expectOAuthError(refused, 400, "invalid_client_metadata");
    }
  });

  it("are all in the metadata together (FAPI 2.0)", async () => {
    await requireOfAll("par", "dpop", "private_key_jwt");
    expect(await (await send("/.well-known/oauth-authorization-server")).json()).toMatchObject({
      issuer: ORIGIN,
      require_pushed_authorization_requests: true,
      token_endpoint_auth_methods_supported: ["private_key_jwt"],
      authorization_response_iss_parameter_supported: true,
    });
  });
});
