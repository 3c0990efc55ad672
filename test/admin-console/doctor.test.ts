import type { InstanceRecord } from "#instance/instances.ts";
import { ENDPOINTS } from "#protocol/endpoints.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { type ConsoleBrowser, openConsole } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { connectSso, makeInstance, ORIGIN } from "../support/world.ts";

/** An issuer without metadata. */
const NOWHERE = `${inject("sso").issuer}/nowhere`;

let instance: InstanceRecord;
let ada: ConsoleBrowser;

beforeAll(async () => {
  instance = await makeInstance();
  ada = await openConsole(instance);
});

/** Returns the verdicts on the page, by check. */
async function verdicts(): Promise<Record<string, string>> {
  const html = await ada.read("/admin/doctor");
  const findings = html.matchAll(/<span class="badge \w+">(\w+)<\/span><div><strong>([^<]+)<\/strong>/g);
  return Object.fromEntries([...findings].map(([, verdict = "", check = ""]) => [check, verdict]));
}

describe("the doctor's page", () => {
  it("finds a healthy instance OK, and says how to check it from outside", async () => {
    await servicesOf(env).eachHour();
    const found = await verdicts();
    expect(new Set(Object.values(found))).toEqual(new Set(["OK"]));
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining(["Documents", "Single sign-on", "Redirect URI at the single sign-on", "Signing key"]),
    );
    const html = await ada.read("/admin/doctor");
    expect(html).toContain(`npm run admin -- doctor acme --url ${ORIGIN}`);
  });

  it("warns if the SSO does not accept this address", async () => {
    const { doctor, policySnapshots } = servicesOf(env);
    const policy = await policySnapshots.reread(instance.name);
    if (!policy) throw new Error("no policy");
    const { providers } = await doctor.examine(policy, "http://unknown-there.localhost");
    const redirect = providers.find(({ check }) => check.startsWith("Redirect URI"));
    expect(redirect).toMatchObject({ verdict: "warning" });
    expect(redirect?.remedy).toContain("http://unknown-there.localhost/oauth/callback");
  });

  it("fails if the SSO's metadata is missing", async () => {
    await connectSso(instance, NOWHERE);
    expect((await verdicts())["Single sign-on"]).toBe("Failed");
    await connectSso(instance);
  });

  it("fails for an identity provider whose keys cannot be fetched", async () => {
    const configuration = { issuer: NOWHERE, name: "Nowhere", clientIds: ["app"], scopes: ["SEARCH"] };
    await env.DB.prepare(
      "INSERT INTO external_issuers (instance_id, issuer, configuration, created_at, changed_at) VALUES (?1, ?2, ?3, 0, 0)",
    )
      .bind(instance.id, configuration.issuer, JSON.stringify(configuration))
      .run();
    expect((await verdicts())["Identity provider Nowhere"]).toBe("Failed");
  });

  it("fails if the master key that sealed a secret is missing", async () => {
    const row = await env.DB.prepare("SELECT single_sign_on AS sso FROM instances WHERE id = ?1")
      .bind(instance.id)
      .first<{ sso: string }>();
    const lost = (row?.sso ?? "").replace(/"v2\.[^.]+\./, '"v2.lost.');
    await env.DB.prepare("UPDATE instances SET single_sign_on = ?2 WHERE id = ?1").bind(instance.id, lost).run();
    expect((await verdicts())["Secret of the single sign-on"]).toBe("Failed");
    await ada.read(ENDPOINTS.jwks);
    await env.DB.prepare("UPDATE signing_keys SET sealed_private_jwk = 'v2.lost.AAAA.AAAA'").run();
    expect((await verdicts())["Signing key"]).toBe("Failed");
  });
});
