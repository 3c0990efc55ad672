import { ISSUERS_MAX } from "#issuers/external-issuer.ts";
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
  const { administrationOf, externalIssuers, policySnapshots } = servicesOf(env);
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
    await administrationOf(acme, "test").issuers.register(DRAFT);
    expect(await known()).toEqual([ISSUER]);
    expect(await known(other)).toEqual([]);
    expect(await externalIssuers.list(other.id)).toEqual([]);
  });

  it("refuses a configuration that would let in the wrong people, and writes nothing", async () => {
    await expect(administrationOf(acme, "test").issuers.register({ ...DRAFT, algorithms: ["HS256"] })).rejects.toThrow(
      /secret/,
    );
    await expect(administrationOf(acme, "test").issuers.register({ ...DRAFT, personBy: "subject" })).rejects.toThrow(
      /same issuer/,
    );
    expect(await externalIssuers.list(acme.id)).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  it("replaces a registered issuer, with the values before and after in the audit", async () => {
    await administrationOf(acme, "test").issuers.register({ ...DRAFT, groupsClaim: "groups" });
    await administrationOf(acme, "test").issuers.register({ ...DRAFT, clientIds: ["intranet"] });
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
    await administrationOf(acme, "test").issuers.register({ ...DRAFT, groupsClaim: "groups", audiences: ["api"] });
    await administrationOf(acme, "test").issuers.edit(ISSUER, { scopes: ["CHAT"], groupsClaim: undefined });
    const { configuration } = await externalIssuers.require(acme, ISSUER);
    expect(configuration).toMatchObject({ scopes: ["CHAT"], audiences: ["api"], name: "IdP" });
    expect(configuration).not.toHaveProperty("groupsClaim");
    expect((await audited()).at(-1)).toMatchObject({
      event: "external_issuer_changed",
      detail: { before: { scopes: ["SEARCH"], groupsClaim: "groups" }, after: { scopes: ["CHAT"] } },
    });
  });

  it("refuses an edit that makes an issuer unacceptable, and keeps the old configuration", async () => {
    await administrationOf(acme, "test").issuers.register(DRAFT);
    await expect(administrationOf(acme, "test").issuers.edit(ISSUER, { clientIds: [] })).rejects.toThrow(/client ids/);
    const moved = { name: "IdP", issuer: "https://evil.example" };
    await administrationOf(acme, "test").issuers.edit(ISSUER, moved);
    expect((await externalIssuers.list(acme.id)).map(({ configuration }) => configuration)).toMatchObject([DRAFT]);
  });

  it("leaves a disabled issuer out of the snapshot, even if it is replaced or edited, until it is enabled", async () => {
    await administrationOf(acme, "test").issuers.register(DRAFT);
    expect(await administrationOf(acme, "test").issuers.disable(ISSUER)).toBe(true);
    expect(await administrationOf(acme, "test").issuers.disable(ISSUER)).toBe(false);
    expect(await known()).toEqual([]);
    expect(await administrationOf(acme, "test").issuers.register(DRAFT)).toMatchObject({ isDisabled: true });
    expect(await administrationOf(acme, "test").issuers.edit(ISSUER, { name: "Other" })).toMatchObject({
      isDisabled: true,
    });
    expect(await known()).toEqual([]);
    expect(await administrationOf(acme, "test").issuers.enable(ISSUER)).toBe(true);
    expect(await administrationOf(acme, "test").issuers.enable(ISSUER)).toBe(false);
    expect(await known()).toEqual([ISSUER]);
    const events = (await audited()).map(({ event }) => event);
    expect(events.filter((event) => /(dis|en)abled$/.test(event))).toEqual([
      "external_issuer_disabled",
      "external_issuer_enabled",
    ]);
  });

  it("does not enable an issuer whose subjects belong to an SSO that the instance has left", async () => {
    const ssoIssuer = acme.singleSignOns[0]?.issuer ?? "";
    await administrationOf(acme, "test").issuers.register({
      ...DRAFT,
      issuer: ssoIssuer,
      personBy: "subject",
      personClaim: "sub",
    });
    await administrationOf(acme, "test").issuers.disable(ssoIssuer);
    await connectSso(acme, "https://new.example");
    await expect(administrationOf(acme, "test").issuers.enable(ssoIssuer)).rejects.toThrow(/same issuer/);
    expect(await known()).toEqual([]);
  });

  it("refuses an issuer that differs from another only by case, because their groups would have the same names", async () => {
    await administrationOf(acme, "test").issuers.register(DRAFT);
    const alike = { ...DRAFT, issuer: "https://idp.example/realms/Acme" };
    for (const act of ["register", "add"] as const) {
      await expect(administrationOf(acme, "test").issuers[act](alike)).rejects.toThrow(`only by case from ${ISSUER}`);
    }
    expect(await known()).toEqual([ISSUER]);
    await administrationOf(acme, "test").issuers.remove(ISSUER);
    await administrationOf(acme, "test").issuers.add(alike);
    expect(await known()).toEqual([alike.issuer]);
  });

  it("ends when the issuer is removed, with its old values in the audit", async () => {
    await administrationOf(acme, "test").issuers.register(DRAFT);
    await administrationOf(acme, "test").issuers.remove(ISSUER);
    expect(await known()).toEqual([]);
    expect((await audited()).at(-1)).toMatchObject({
      event: "external_issuer_removed",
      detail: { before: { issuer: ISSUER } },
    });
  });

  it("suggests the issuer that was probably meant if a slash is wrong", async () => {
    await administrationOf(acme, "test").issuers.register(DRAFT);
    const { issuers } = administrationOf(acme, "test");
    const suggesting = (description: string) => ({ status: 404, description: expect.stringContaining(description) });
    await expect(issuers.remove(`${ISSUER}/`)).rejects.toMatchObject(suggesting(`it has ${ISSUER}`));
    await expect(issuers.disable("https://nowhere.example")).rejects.toMatchObject(suggesting("has no issuer"));
  });

  it(`accepts at most ${ISSUERS_MAX} issuers, and can still replace and edit them`, async () => {
    const issuer = (index: number) => ({ ...DRAFT, issuer: `https://idp.example/realms/${index}` });
    for (let index = 1; index < ISSUERS_MAX; index += 1)
      await administrationOf(acme, "test").issuers.register(issuer(index));
    const both = [issuer(100), issuer(101)].map((draft) => administrationOf(acme, "test").issuers.register(draft));
    const outcomes = (await Promise.allSettled(both)).map(({ status }) => status);
    expect(outcomes.toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(administrationOf(acme, "test").issuers.register(issuer(102))).rejects.toThrow(/at most 20/);
    await administrationOf(acme, "test").issuers.register({ ...issuer(1), name: "Again" });
    await administrationOf(acme, "test").issuers.edit(issuer(2).issuer, { name: "Edited" });
    expect(await known()).toHaveLength(ISSUERS_MAX);
  });
});
