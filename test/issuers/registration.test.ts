import { ISSUERS_MAX } from "#issuers/registration.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { env } from "../support/isolate.ts";
import { connectSso, makeInstance } from "../support/world.ts";

const ISSUER = "https://idp.example/realms/acme";
const DRAFT = {
  issuer: ISSUER,
  name: "IdP",
  clientIds: ["portal"],
  scopes: ["SEARCH"],
  emailDomains: ["acme.example"],
};

describe("registering external issuers", () => {
  const { administration, externalIssuers, policySnapshots } = servicesOf(env);
  let acme: InstanceRecord;
  let count = 0;

  beforeEach(async () => {
    count += 1;
    acme = await makeInstance(`issuers-${count}`);
  });

  /** Returns the issuers that the gate would accept. */
  async function known(instance = acme): Promise<string[]> {
    policySnapshots.expire(instance.name);
    const snapshot = await policySnapshots.reread(instance.name);
    return [...(snapshot?.externalIssuers.keys() ?? [])];
  }

  /** Returns the audit entries about issuers, oldest first. */
  async function audited(): Promise<{ event: string; detail: Record<string, unknown> }[]> {
    const { results } = await env.DB.prepare(
      "SELECT event, actor, detail FROM audit WHERE instance_id = ?1 AND event LIKE 'external_issuer_%' ORDER BY sequence",
    )
      .bind(acme.id)
      .all<{ event: string; actor: string; detail: string }>();
    expect(results.every(({ actor }) => actor === "test")).toBe(true);
    return results.map(({ event, detail }) => ({ event, detail: JSON.parse(detail) as Record<string, unknown> }));
  }

  it("reaches the policy snapshot of this instance only", async () => {
    const other = await makeInstance(`issuers-other-${count}`);
    await administration.issuers.register(acme, DRAFT, "test");
    expect(await known()).toEqual([ISSUER]);
    expect(await known(other)).toEqual([]);
    expect(await externalIssuers.list(other.id)).toEqual([]);
  });

  it("refuses a configuration that would let in the wrong people, and writes nothing", async () => {
    await expect(administration.issuers.register(acme, { ...DRAFT, algorithms: ["HS256"] }, "test")).rejects.toThrow(
      /secret/,
    );
    await expect(administration.issuers.register(acme, { ...DRAFT, personBy: "subject" }, "test")).rejects.toThrow(
      /same issuer/,
    );
    expect(await externalIssuers.list(acme.id)).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  it("replaces a registered issuer, with the values before and after in the audit", async () => {
    await administration.issuers.register(acme, { ...DRAFT, groupsClaim: "groups" }, "test");
    await administration.issuers.register(acme, { ...DRAFT, clientIds: ["intranet"] }, "test");
    const [only, ...others] = await externalIssuers.list(acme.id);
    expect(others).toEqual([]);
    expect(only?.configuration).toMatchObject({ clientIds: ["intranet"] });
    expect(only?.configuration).not.toHaveProperty("groupsClaim");
    expect(await audited()).toMatchObject([
      { event: "external_issuer_registered", detail: { after: { clientIds: ["portal"] } } },
      {
        event: "external_issuer_changed",
        detail: { before: { clientIds: ["portal"] }, after: { clientIds: ["intranet"] } },
      },
    ]);
  });

  it("allows edits that change what is named, remove what is emptied, and keep the rest", async () => {
    await administration.issuers.register(acme, { ...DRAFT, groupsClaim: "groups", audiences: ["api"] }, "test");
    await administration.issuers.edit(acme, ISSUER, { scopes: ["CHAT"], groupsClaim: undefined }, "test");
    const { configuration } = await externalIssuers.require(acme, ISSUER);
    expect(configuration).toMatchObject({ scopes: ["CHAT"], audiences: ["api"], name: "IdP" });
    expect(configuration).not.toHaveProperty("groupsClaim");
    expect((await audited()).at(-1)).toMatchObject({
      event: "external_issuer_changed",
      detail: { before: { scopes: ["SEARCH"], groupsClaim: "groups" }, after: { scopes: ["CHAT"] } },
    });
  });

  it("refuses an edit that makes an issuer unacceptable, and keeps the old configuration", async () => {
    await administration.issuers.register(acme, DRAFT, "test");
    await expect(administration.issuers.edit(acme, ISSUER, { clientIds: [] }, "test")).rejects.toThrow(/client ids/);
    const moved = { name: "IdP", issuer: "https://evil.example" };
    await administration.issuers.edit(acme, ISSUER, moved, "test");
    expect((await externalIssuers.list(acme.id)).map(({ configuration }) => configuration)).toMatchObject([DRAFT]);
  });

  it("leaves a disabled issuer out of the snapshot, even if it is replaced or edited, until it is enabled", async () => {
    await administration.issuers.register(acme, DRAFT, "test");
    expect(await administration.issuers.disable(acme, ISSUER, "test")).toBe(true);
    expect(await administration.issuers.disable(acme, ISSUER, "test")).toBe(false);
    expect(await known()).toEqual([]);
    expect(await administration.issuers.register(acme, DRAFT, "test")).toMatchObject({ isDisabled: true });
    expect(await administration.issuers.edit(acme, ISSUER, { name: "Other" }, "test")).toMatchObject({
      isDisabled: true,
    });
    expect(await known()).toEqual([]);
    expect(await administration.issuers.enable(acme, ISSUER, "test")).toBe(true);
    expect(await administration.issuers.enable(acme, ISSUER, "test")).toBe(false);
    expect(await known()).toEqual([ISSUER]);
    const events = (await audited()).map(({ event }) => event);
    expect(events.filter((event) => /(dis|en)abled$/.test(event))).toEqual([
      "external_issuer_disabled",
      "external_issuer_enabled",
    ]);
  });

  it("does not enable an issuer whose subjects belong to an SSO that the instance has left", async () => {
    const ssoIssuer = acme.singleSignOn?.issuer ?? "";
    await administration.issuers.register(
      acme,
      { ...DRAFT, issuer: ssoIssuer, personBy: "subject", personClaim: "sub" },
      "test",
    );
    await administration.issuers.disable(acme, ssoIssuer, "test");
    await connectSso(acme, "https://new.example");
    await expect(administration.issuers.enable(acme, ssoIssuer, "test")).rejects.toThrow(/same issuer/);
    expect(await known()).toEqual([]);
  });

  it("refuses an issuer that differs from another only by case, because their groups would have the same names", async () => {
    await administration.issuers.register(acme, DRAFT, "test");
    const alike = { ...DRAFT, issuer: "https://idp.example/realms/Acme" };
    for (const act of ["register", "add"] as const) {
      await expect(administration.issuers[act](acme, alike, "test")).rejects.toThrow(`only by case from ${ISSUER}`);
    }
    expect(await known()).toEqual([ISSUER]);
    await administration.issuers.remove(acme, ISSUER, "test");
    await administration.issuers.add(acme, alike, "test");
    expect(await known()).toEqual([alike.issuer]);
  });

  it("ends when the issuer is removed, with its old values in the audit", async () => {
    await administration.issuers.register(acme, DRAFT, "test");
    await administration.issuers.remove(acme, ISSUER, "test");
    expect(await known()).toEqual([]);
    expect((await audited()).at(-1)).toMatchObject({
      event: "external_issuer_removed",
      detail: { before: { issuer: ISSUER } },
    });
  });

  it("suggests the issuer that was probably meant if a slash is wrong", async () => {
    await administration.issuers.register(acme, DRAFT, "test");
    await expect(administration.issuers.remove(acme, `${ISSUER}/`, "test")).rejects.toThrow(`it has ${ISSUER}`);
    await expect(administration.issuers.disable(acme, "https://nowhere.example", "test")).rejects.toThrow(
      /has no issuer/,
    );
  });

  it(`accepts at most ${ISSUERS_MAX} issuers, and can still replace and edit them`, async () => {
    const issuer = (index: number) => ({ ...DRAFT, issuer: `https://idp.example/realms/${index}` });
    for (let index = 1; index < ISSUERS_MAX; index += 1)
      await administration.issuers.register(acme, issuer(index), "test");
    const both = [issuer(100), issuer(101)].map((draft) => administration.issuers.register(acme, draft, "test"));
    const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
    expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(administration.issuers.register(acme, issuer(102), "test")).rejects.toThrow(/at most 20/);
    await administration.issuers.register(acme, { ...issuer(1), name: "Again" }, "test");
    await administration.issuers.edit(acme, issuer(2).issuer, { name: "Edited" }, "test");
    expect(await known()).toHaveLength(ISSUERS_MAX);
  });
});
