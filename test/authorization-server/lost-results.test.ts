import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InstanceRecord } from "#instance/instances.ts";
import type { Bindings } from "#platform/bindings.ts";
import { AppClient, type TokenAnswer } from "../support/app-client.ts";
import { countedDatabase, noCost } from "../support/counted-database.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { env } from "../support/isolate.ts";
import { makeInstance, send } from "../support/world.ts";

describe("the token endpoint when the database does what it is asked, and its result is lost", () => {
  let lost = 0;
  let calls = 0;
  let bindings: Bindings;
  let instance: InstanceRecord;
  let app: AppClient;

  const ask = (fields: Record<string, string>) =>
    send(
      "/oauth/token",
      { method: "POST", body: new URLSearchParams({ client_id: app.clientId, ...fields }) },
      bindings,
    );
  const exchange = ({ code, verifier: code_verifier }: { code: string; verifier: string }) =>
    ask({ grant_type: "authorization_code", code, code_verifier });
  const refresh = (refresh_token: string) => ask({ grant_type: "refresh_token", refresh_token });

  beforeAll(async () => {
    instance = await makeInstance();
    app = await AppClient.registered();
    const making = async <Result>(call: () => Promise<Result>): Promise<Result> => {
      calls += 1;
      const result = await call();
      if (lost === 0) return result;
      lost -= 1;
      throw new Error("D1_ERROR: Network connection lost.");
    };
    bindings = { ...env, DB: countedDatabase(() => env.DB, noCost, making) };
  });

  beforeEach(() => {
    lost = 0;
    calls = 0;
  });

  it("rotates a refresh token once, and responds with its successor", async () => {
    const { refresh_token = "" } = await app.tokens();
    const first = await refresh(refresh_token);
    const { refresh_token: second = "" } = await first.json<TokenAnswer>();
    [lost, calls] = [1, 0];
    const repeated = await refresh(second);
    expect([repeated.status, calls]).toEqual([200, 2]);
    const { refresh_token: third = "" } = await repeated.json<TokenAnswer>();
    expect((await refresh(third)).status).toBe(200);
  });

  it("claims a code once, because a repetition would end the grant as a replay", async () => {
    const grants = new DirectGrants(instance);
    expect((await exchange(await grants.grant(app))).status).toBe(200);
    const grant = await grants.grant(app);
    lost = 1;
    expect((await exchange(grant)).status).toBe(503);
    const row = env.DB.prepare("SELECT redeemed_at IS NOT NULL AS redeemed, revoked_at FROM grants WHERE id = ?1");
    expect(await row.bind(grant.grantId).first()).toEqual({ redeemed: 1, revoked_at: null });
  });
});
