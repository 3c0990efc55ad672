import type { InstanceRecord } from "#instance/instances.ts";
import { D1Sessions, SESSIONS_PER_PERSON } from "#session/sessions.d1.ts";
import { hashToken } from "#crypto/secrets.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { ConsoleBrowser } from "../support/console-browser.ts";
import { env } from "../support/isolate.ts";
import { knownPerson } from "../support/people.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { makeInstance, setDeactivated, travel } from "../support/world.ts";
import { audited } from "../support/audited.ts";

let instance: InstanceRecord;

beforeAll(async () => {
  instance = await makeInstance();
});

afterEach(() => void vi.useRealTimers());

/** Returns the number of sessions that a person's page lists. */
async function listed(person: ConsoleBrowser): Promise<number> {
  return (await person.read("/account")).match(/Signed in <time/g)?.length ?? 0;
}

async function isSignedIn(person: ConsoleBrowser): Promise<boolean> {
  return (await person.get("/account")).status === 200;
}

describe("a person's own sessions (ASVS 5.0 §7.1.2, §7.5.2)", () => {
  it("are listed, and all except this one can be ended at once, without affecting anybody else's", async () => {
    const here = await ConsoleBrowser.signIn("ben");
    const elsewhere = [await ConsoleBrowser.signIn("ben"), await ConsoleBrowser.signIn("ben")];
    const ada = await ConsoleBrowser.signIn("ada");
    expect(await listed(here)).toBe(3);
    const answer = await here.post("/account/end-sessions");
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, "/account?done=ended-sessions"]);
    expect(await Promise.all(elsewhere.map(isSignedIn))).toEqual([false, false]);
    expect([await isSignedIn(here), await isSignedIn(ada), await listed(here)]).toEqual([true, true, 1]);
    const { id } = await knownPerson(instance, "ben@acme.example");
    const entry = "SELECT detail FROM audit WHERE event = 'sessions_ended' AND actor = ?1";
    expect(await env.DB.prepare(entry).bind(id).first("detail")).toBe('{"sessions":2}');
  });

  it("are nobody's at another instance, also in an isolate that reads the session before it knows the instance", async () => {
    await makeInstance("other");
    const { session: Cookie = "" } = await ConsoleBrowser.signIn("ben");
    const open = (host: string) =>
      new ObservedIsolate().send(`http://${host}.localhost/account`, { headers: { Cookie } });
    expect([(await open("acme")).status, (await open("other")).status]).toEqual([200, 303]);
  });

  it("are read for each request, so that a deactivated person has none", async () => {
    const { session: Cookie = "" } = await ConsoleBrowser.signIn("carla");
    const isolate = new ObservedIsolate();
    const open = () => isolate.send("/account", { headers: { Cookie } });
    expect((await open()).status).toBe(200);
    await setDeactivated(instance, "carla@acme.example");
    travel(11);
    expect((await open()).status).toBe(303);
  });

  it("can only be ended after a recent sign-in", async () => {
    const here = await ConsoleBrowser.signIn("ben");
    const elsewhere = await ConsoleBrowser.signIn("ben");
    travel(11 * 60);
    expect((await here.post("/account/end-sessions")).status).toBe(403);
    expect(await isSignedIn(elsewhere)).toBe(true);
  });

  it("have a limit: a new one ends the oldest", async () => {
    const first = await ConsoleBrowser.signIn("ada");
    const ada = await knownPerson(instance, "ada@acme.example");
    const fill = `INSERT INTO sessions (secret_hash, instance_id, person_id, created_at, last_used_at, expires_at)
      SELECT 'x' || value, ?1, ?2, unixepoch() + 1, unixepoch() + 1, unixepoch() + 3600 FROM json_each(?3)`;
    await env.DB.prepare(fill)
      .bind(instance.id, ada.id, JSON.stringify(Array.from({ length: SESSIONS_PER_PERSON - 1 }, (_none, at) => at)))
      .run();
    expect(await isSignedIn(first)).toBe(true);
    const latest = await ConsoleBrowser.signIn("ada");
    expect([await isSignedIn(first), await isSignedIn(latest)]).toEqual([false, true]);
    const count = "SELECT count(*) AS n FROM sessions WHERE person_id = ?1";
    expect(await env.DB.prepare(count).bind(ada.id).first("n")).toBe(SESSIONS_PER_PERSON);

    // The person was signed out while they signed in: that sign-in is refused, and ends no other session.
    const now = Math.floor(Date.now() / 1000);
    const refused = { personId: ada.id, signOuts: 99, ssoSession: undefined, signedInAt: now };
    const sessions = new D1Sessions(audited());
    expect(await sessions.begin(instance.id, await hashToken("late"), refused, null, now, now + 3600, "")).toBe(false);
    expect(await isSignedIn(latest)).toBe(true);
    expect(await env.DB.prepare(count).bind(ada.id).first("n")).toBe(SESSIONS_PER_PERSON);
  });
});
