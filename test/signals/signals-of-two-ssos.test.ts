import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { postEvent, postLogout, postRevocation, SigningSso } from "../support/signing-sso.ts";
import { makeInstance, ORIGIN } from "../support/world.ts";

let acme: InstanceRecord;
let first: SigningSso;
let second: SigningSso;
let mine: ConsoleBrowser;
let theirs: ConsoleBrowser;

beforeAll(async () => {
  acme = await makeInstance();
  first = await SigningSso.of(acme);
  second = await SigningSso.beside(acme, first.issuer.url);
});

beforeEach(async () => {
  // The same subject and the same id of a session at both.
  mine = await ConsoleBrowser.signIn("ben", ORIGIN, "/account", { ...first.at("shared"), number: "1" });
  theirs = await ConsoleBrowser.signIn("ben", ORIGIN, "/account", second.atSecond({}, "shared"));
});

/** Returns who is still signed in. */
async function signedIn(): Promise<string[]> {
  const each = { mine, theirs };
  const names: string[] = [];
  for (const [name, browser] of Object.entries(each)) {
    if ((await browser.get("/account")).status === 200) names.push(name);
  }
  return names;
}

function revocation(sso: SigningSso): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: sso.issuer.url,
    sub: "client",
    aud: `${ORIGIN}/oauth/global-token-revocation`,
    jti: crypto.randomUUID(),
    iat: now,
    nbf: now - 300,
    exp: now + 300,
  };
  return sso.sign(claims, { typ: "global-token-revocation+jwt" });
}

const byEmail = (email: string) => ({ sub_id: { format: "email", email } });

describe("a sign-out at one of two single sign-ons", () => {
  it("ends the access of its own subject, not of the same subject at the other", async () => {
    expect((await postLogout(await second.logoutToken())).status).toBe(200);
    expect(await signedIn()).toEqual(["mine"]);
    expect((await postLogout(await first.logoutToken())).status).toBe(200);
    expect(await signedIn()).toEqual([]);
  });

  it("ends its own session, not one with the same id at the other", async () => {
    const ofSession = { sub: undefined, sid: "shared" };
    expect((await postLogout(await second.logoutToken(ofSession))).status).toBe(200);
    expect(await signedIn()).toEqual(["mine"]);
    expect((await postLogout(await first.logoutToken(ofSession))).status).toBe(200);
    expect(await signedIn()).toEqual([]);
  });
});

describe("an SSO's word about an email address or an id", () => {
  it("reaches only people who sign in there, or will", async () => {
    const { id } = await knownPerson(acme, "ben@acme.example");
    for (const subject of [byEmail("ben@acme.example"), { sub_id: { format: "opaque", id } }]) {
      expect((await postRevocation(await revocation(second), subject)).status).toBe(404);
    }
    await knownPerson(acme, "added@acme.example");
    expect((await postRevocation(await revocation(second), byEmail("added@acme.example"))).status).toBe(404);
    await knownPerson(acme, "added@other.example");
    expect((await postRevocation(await revocation(second), byEmail("added@other.example"))).status).toBe(204);
    expect(await signedIn()).toEqual(["mine", "theirs"]);
    expect((await postRevocation(await revocation(second), byEmail("ben@other.example"))).status).toBe(204);
    expect(await signedIn()).toEqual(["mine"]);
  });

  it("reaches them even if their address is not of its domains any more", async () => {
    await env.DB.exec("UPDATE people SET email = 'ben@former.example' WHERE email = 'ben@other.example'");
    expect((await postRevocation(await revocation(second), byEmail("ben@former.example"))).status).toBe(204);
    expect(await signedIn()).toEqual(["mine"]);
    await env.DB.exec("UPDATE people SET email = 'ben@other.example' WHERE email = 'ben@former.example'");
  });

  it("reaches no further as a transmitter of security events", async () => {
    const draft = { issuer: second.issuer.url, name: "Second", audience: ORIGIN };
    await servicesOf(env).administrationOf(acme, "test").signals.put(draft, undefined);
    const event = async (subject: object) => {
      const type = "https://schemas.openid.net/secevent/risc/event-type/account-disabled";
      const now = Math.floor(Date.now() / 1000);
      const ofToken = { iss: second.issuer.url, aud: ORIGIN, jti: crypto.randomUUID(), iat: now };
      const claims = { ...ofToken, sub_id: subject, events: { [type]: {} } };
      return postEvent(await second.sign(claims, { typ: "secevent+jwt" }));
    };
    for (const subject of [
      { format: "email", email: "ben@acme.example" },
      { format: "iss_sub", iss: first.issuer.url, sub: "ben" },
    ]) {
      expect((await event(subject)).status).toBe(202);
    }
    expect(await signedIn()).toEqual(["mine", "theirs"]);
    expect((await event({ format: "email", email: "ben@other.example" })).status).toBe(202);
    expect(await signedIn()).toEqual(["mine"]);
  });
});
