import { hashToken, randomId } from "#crypto/secrets.ts";
import type { InstanceRecord } from "#instance/instances.ts";
import { D1ExternalPeople } from "#people/external-people.d1.ts";
import { D1People } from "#people/people.d1.ts";
import { servicesOf } from "#services.ts";
import { D1Sessions } from "#session/sessions.d1.ts";
import { beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { AppClient, search } from "../support/app-client.ts";
import { audited } from "../support/audited.ts";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { outcomeOf } from "../support/external-attacks.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { SigningSso } from "../support/signing-sso.ts";
import { removeIssuers } from "../support/test-issuer.ts";
import { connectionTo, issueClientApiToken, makeInstance, ORIGIN } from "../support/world.ts";

const IN = [200];
const OUT = [401, "invalid_token"];
const FINANCE = { groups: ["Finance", "Staff"] };

let acme: InstanceRecord;
let second: SigningSso;
let app: AppClient;

beforeAll(async () => {
  acme = await makeInstance();
  app = await AppClient.registered();
});

beforeEach(async () => {
  await removeIssuers(acme);
  for (const { issuer } of (await servicesOf(env).instances.require("acme")).singleSignOns.slice(1)) {
    await ssos().remove(issuer);
  }
  await env.DB.exec("UPDATE people SET email = id || '@gone.example' WHERE email LIKE '%@other.example'");
  second = await SigningSso.beside(acme, inject("sso").issuer);
});

const ssos = () => servicesOf(env).administrationOf(acme, "test").singleSignOn;

function signInAtSecond(claims: Record<string, unknown> = {}): Promise<ConsoleBrowser> {
  return ConsoleBrowser.signIn("ben", ORIGIN, "/account", second.atSecond(claims));
}

/** Registers the second SSO as an identity provider for the domains of both. */
async function registerSecond(): Promise<void> {
  const instance = await servicesOf(env).instances.require("acme");
  await second.issuer.register(instance, {
    groupsClaim: "groups",
    emailDomains: ["acme.example", "other.example"],
  });
}

/** Links an account of an issuer to a person, as its access tokens do. */
function link(issuer: string, subject: string, personId: string) {
  const sql =
    "INSERT INTO linked_accounts (instance_id, issuer, subject, person_id, linked_at) VALUES (?1, ?2, ?3, ?4, 0)";
  return env.DB.prepare(sql).bind(acme.id, issuer, subject, personId).run();
}

async function rowOf(email: string) {
  const { id } = await knownPerson(acme, email);
  const row = await env.DB.prepare("SELECT sso_issuer, directory_groups, role FROM people WHERE id = ?1")
    .bind(id)
    .first<{ sso_issuer: string | null; directory_groups: string; role: string | null }>();
  return {
    id,
    issuer: row?.sso_issuer,
    role: row?.role,
    groups: JSON.parse(row?.directory_groups ?? "[]") as string[],
  };
}

describe("groups of the same name at two single sign-ons", () => {
  it("are two groups: the second one's have its issuer in their names, and end when it no longer names them", async () => {
    await signInAtSecond(FINANCE);
    const { url } = second.issuer;
    expect((await rowOf("ben@other.example")).groups).toEqual([`${url}|finance`, `${url}|staff`]);
    await signInAtSecond({ groups: ["Staff", `${inject("sso").issuer}|finance`] });
    const groups = (await rowOf("ben@other.example")).groups;
    expect(groups).toEqual([`${url}|${inject("sso").issuer}|finance`, `${url}|staff`]);
    await ConsoleBrowser.signIn("ben");
    expect((await rowOf("ben@acme.example")).groups.every((group) => !group.includes("|"))).toBe(true);
  });

  it("are one only if an administrator says so", async () => {
    await ssos().connect(
      connectionTo(second.issuer.url, { emailDomains: ["other.example"], groupsMeetDirectory: true }),
    );
    await signInAtSecond(FINANCE);
    expect((await rowOf("ben@other.example")).groups).toEqual(["finance", "staff"]);
  });
});

describe("an account of one single sign-on", () => {
  it("never claims a person who was added for the other, by the address or by a token", async () => {
    // The first SSO's access tokens, in the domain of the second.
    await env.DB.prepare(
      "INSERT INTO people (id, instance_id, email, name, created_at) VALUES ('pat', ?1, ?2, 'Pat', 0)",
    )
      .bind(acme.id, "pat@other.example")
      .run();
    await link(inject("sso").issuer, "pat", "pat");
    await expect(signInAtSecond({ email: "pat@other.example" })).rejects.toThrow(/already uses your email/);
    expect((await rowOf("pat@other.example")).issuer).toBeNull();
  });

  it("never claims a person with an address of the other's domain, even if it was linked before both were SSOs", async () => {
    const { people } = servicesOf(env).administrationOf(acme, "test");
    await people.nameRole("chief@acme.example", "administrator");
    const { id } = await rowOf("chief@acme.example");
    await link(second.issuer.url, "mallory", id);
    await registerSecond();
    const asChief = async () => outcomeOf(await second.issuer.token({ sub: "mallory", email: "chief@acme.example" }));
    expect(await asChief()).toEqual(OUT);
    await signInAtSecond({ sub: "mallory", email: "mallory@other.example" });
    expect(await rowOf("chief@acme.example")).toMatchObject({ id, issuer: null, role: "administrator" });
    expect(await rowOf("mallory@other.example")).toMatchObject({ issuer: second.issuer.url, role: null });
    // Somebody of a former issuer of the first one.
    await env.DB.prepare("UPDATE people SET sso_issuer = 'https://former.example', sso_subject = 'chief' WHERE id = ?1")
      .bind(id)
      .run();
    expect(await asChief()).toEqual(OUT);
  });

  it("gets a role that was given to an address of its domain, and no other", async () => {
    const { people } = servicesOf(env).administrationOf(acme, "test");
    await people.nameRole("boss@other.example", "administrator");
    await people.nameRole("boss@acme.example", "administrator");
    await expect(signInAtSecond({ sub: "boss", email: "boss@acme.example" })).rejects.toThrow(/email domain/);
    expect((await rowOf("boss@acme.example")).issuer).toBeNull();
    await signInAtSecond({ sub: "boss", email: "boss@other.example" });
    expect(await rowOf("boss@other.example")).toMatchObject({ issuer: second.issuer.url, role: "administrator" });
  });
});

describe("an access token of one single sign-on", () => {
  it("never means a person of the other, whoever signed in or was linked first", async () => {
    await ConsoleBrowser.signIn("ben");
    await registerSecond();
    expect(await outcomeOf(await second.issuer.token({ email: "ben@acme.example", ...FINANCE }))).toEqual(OUT);
    expect((await rowOf("ben@acme.example")).groups.every((group) => !group.includes("|"))).toBe(true);
    const { id } = await rowOf("ben@acme.example");
    await link(second.issuer.url, "linked", id);
    const linked = { sub: "linked", email: "ben@acme.example" };
    expect(await outcomeOf(await second.issuer.token(linked))).toEqual(OUT);
    expect(await outcomeOf(await second.issuer.token({ ...linked, ...FINANCE }))).toEqual(OUT);
    expect((await rowOf("ben@acme.example")).groups.every((group) => !group.includes("|"))).toBe(true);
  });

  it("takes no address of the other's domain before its person has come", async () => {
    await registerSecond();
    expect(await outcomeOf(await second.issuer.token({ email: "new@acme.example" }))).toEqual(OUT);
    const sql = "SELECT count(*) AS n FROM people WHERE instance_id = ?1 AND email = 'new@acme.example'";
    expect(await env.DB.prepare(sql).bind(acme.id).first("n")).toBe(0);
    const account = { issuer: second.issuer.url, subject: "ben", isSignInSubject: true };
    const person = { email: "new@acme.example", account, emailDomains: ["acme.example"] };
    expect(await new D1ExternalPeople(env.DB).look(acme.id, person, 0)).toBe("taken");
    await knownPerson(acme, "added@acme.example");
    expect(await outcomeOf(await second.issuer.token({ email: "added@acme.example" }))).toEqual(OUT);
  });

  it("stops meaning somebody as soon as its issuer becomes another SSO", async () => {
    await ConsoleBrowser.signIn("ben");
    await ssos().remove(second.issuer.url);
    const instance = await servicesOf(env).instances.require("acme");
    await second.issuer.register(instance);
    const token = await second.issuer.token({ email: "ben@acme.example" });
    expect(await outcomeOf(token)).toEqual(IN);
    expect(await outcomeOf(token)).toEqual(IN);
    await ssos().put(connectionTo(second.issuer.url, { emailDomains: ["other.example"] }));
    expect(await outcomeOf(token)).toEqual(OUT);
  });

  it("means the person who signs in there", async () => {
    await registerSecond();
    await signInAtSecond();
    const token = await second.issuer.token({ sub: "ben", email: "ben@other.example" });
    expect(await outcomeOf(token)).toEqual(IN);
    expect((await rowOf("ben@other.example")).issuer).toBe(second.issuer.url);
  });
});

describe("a removed single sign-on", () => {
  it("ends sessions, apps' access and tokens of its people, and nothing of the others", async () => {
    const [mine, theirs] = [await ConsoleBrowser.signIn("ben"), await signInAtSecond(FINANCE)];
    const ofFirst = await app.tokensAt({ issuer: inject("sso").issuer, number: "1" });
    const ofSecond = await app.tokensAt(second.atSecond());
    const tokens = [
      await issueClientApiToken(acme, "ben@acme.example", "SEARCH"),
      await issueClientApiToken(acme, "ben@other.example", "SEARCH"),
    ];
    expect((await search(ofSecond.access_token)).status).toBe(200);
    await ssos().remove(second.issuer.url);
    expect((await theirs.get("/account")).status).toBe(303);
    expect((await search(ofSecond.access_token)).status).toBe(401);
    expect((await app.refresh(ofSecond.refresh_token)).status).toBe(400);
    expect((await search(tokens[1])).status).toBe(401);
    expect((await mine.get("/account")).status).toBe(200);
    expect((await search(ofFirst.access_token)).status).toBe(200);
    expect((await app.refresh(ofFirst.refresh_token)).status).toBe(200);
    expect((await search(tokens[0])).status).toBe(200);
    expect((await rowOf("ben@other.example")).groups).toEqual([]);
    expect((await rowOf("ben@acme.example")).groups).not.toEqual([]);
  });

  it("leaves none of its access tokens accepted", async () => {
    await registerSecond();
    await signInAtSecond();
    await expect(ssos().remove(second.issuer.url)).rejects.toThrow(/first disable it/);
    await servicesOf(env).administrationOf(acme, "test").issuers.disable(second.issuer.url);
    await ssos().remove(second.issuer.url);
    expect(await outcomeOf(await second.issuer.token({ email: "ben@other.example" }))).not.toEqual(IN);
  });

  it("begins no session for somebody whose sign-in was accepted just before", async () => {
    const { url: issuer } = second.issuer;
    const identity = { issuer, subject: "quick", account: undefined, email: "quick@other.example", name: "Quick" };
    const signedIn = await new D1People(audited()).signIn(
      acme.id,
      { ...identity, groups: [], groupsMeetDirectory: false, isEmailVerified: true },
      randomId(),
      1,
    );
    if (signedIn.outcome !== "signed-in") expect.fail(signedIn.outcome);
    await ssos().remove(issuer);
    const from = { ...signedIn, ssoSession: undefined, signedInAt: 1 };
    const secretHash = await hashToken(randomId());
    expect(await new D1Sessions(audited()).begin(acme.id, secretHash, from, 1, 1, 2, "")).toBe(false);
  });

  it("signs nobody in, even where its removal is not known yet, and gives nobody a role", async () => {
    const { url: issuer } = second.issuer;
    await servicesOf(env).administrationOf(acme, "test").people.nameRole("late@other.example", "administrator");
    await ssos().remove(issuer);
    for (const email of ["late@other.example", "newer@other.example"]) {
      const identity = { issuer, subject: email, account: undefined, email, name: "Late", groups: [] };
      const signedIn = await new D1People(audited()).signIn(
        acme.id,
        { ...identity, groupsMeetDirectory: false, isEmailVerified: true },
        randomId(),
        1,
      );
      expect(signedIn).toEqual({ outcome: "sso-removed" });
      const row = env.DB.prepare("SELECT count(*) AS n FROM people WHERE sso_subject = ?1").bind(email);
      expect(await row.first("n")).toBe(0);
    }
  });
});
