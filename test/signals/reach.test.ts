import type { InstanceRecord } from "#instance/instances.ts";
import { servicesOf } from "#services.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, postForm, type TokenAnswer } from "../support/app-client.ts";
import { DocumentWorld } from "../support/document-world.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { DirectoryClient } from "../support/scim.ts";
import { decideServiceAccount, makeKeyedAccount } from "../support/service-accounts.ts";
import { issueToken } from "../support/service-tokens.ts";
import { postEvent, postLogout, postRevocation, SigningSso } from "../support/signing-sso.ts";
import { disableClient, makeInstance, ORIGIN, travel } from "../support/world.ts";

/** The most seconds until a signal or decision takes effect in an isolate that did not receive it. */
const REACH_SECONDS = 10;

const BY_EMAIL = { sub_id: { format: "email", email: "ben@acme.example" } };
const REVOKED = "https://schemas.openid.net/secevent/caep/event-type/session-revoked";

let instance: InstanceRecord;
let sso: SigningSso;
let app: AppClient;
let directory: DirectoryClient;
let world: DocumentWorld;

beforeAll(async () => {
  instance = await makeInstance();
  sso = await SigningSso.of(instance);
  // A decision about an app holds for later installs, so each test has an app of its own.
  app = await AppClient.registered({ client_name: crypto.randomUUID() });
  directory = await DirectoryClient.of(instance);
  world = await DocumentWorld.of(instance);
  await world.index("plans", ["reach"]);
});

afterEach(() => vi.useRealTimers());

/** A way of access, and how to end it. */
interface Path {
  readonly token: string;
  readonly end: () => Promise<unknown>;
}

const now = () => Math.floor(Date.now() / 1000);

function assertion(): Promise<string> {
  const aud = `${ORIGIN}/oauth/global-token-revocation`;
  const times = { iat: now(), nbf: now() - 300, exp: now() + 300 };
  const claims = { iss: sso.issuer.url, sub: "client", aud, jti: crypto.randomUUID(), ...times };
  return sso.sign(claims, { typ: "global-token-revocation+jwt" });
}

async function provisioned(end: (id: string) => Promise<unknown>): Promise<Path> {
  const email = `reach-${crypto.randomUUID()}@acme.example`;
  const id = await directory.addUser(email);
  await directory.addGroup(`Reach ${id}`, id);
  return { token: await world.personToken(email), end: () => end(id) };
}

const PATHS: Readonly<Record<string, () => Promise<Path>>> = {
  "back-channel logout": async () => {
    const { access_token: token } = await sso.connect(app, "one");
    return { token, end: async () => postLogout(await sso.logoutToken()) };
  },
  "global token revocation": async () => {
    const { access_token: token } = await sso.connect(app, "one");
    return { token, end: async () => postRevocation(await assertion(), BY_EMAIL) };
  },
  "security event": async () => {
    const transmitter = { issuer: sso.issuer.url, name: "SSO", audience: "events" };
    await servicesOf(env).administrationOf(instance, "test").signals.put(transmitter, undefined);
    const { access_token: token } = await sso.connect(app, "one");
    const claims = { aud: "events", events: { [REVOKED]: {} }, ...BY_EMAIL };
    return { token, end: async () => postEvent(await sso.logoutToken(claims, { typ: "secevent+jwt" })) };
  },
  "directory: deactivation": () =>
    provisioned((id) => directory.patch(`/Users/${id}`, { op: "replace", path: "active", value: false })),
  "directory: deletion": () => provisioned((id) => directory.done("DELETE", `/Users/${id}`)),
  "service account disabled": async () => {
    const { account, key } = await makeKeyedAccount(instance);
    const form = { grant_type: "client_credentials", ...(await key.authenticates(account.id)) };
    const { access_token: token } = await (await postForm("/oauth/token", form)).json<TokenAnswer>();
    return { token, end: () => decideServiceAccount(instance, account.id, "disable") };
  },
  "app disabled": async () => {
    const other = await AppClient.registered();
    const { access_token: token } = await sso.connect(other, "two");
    return { token, end: () => disableClient(instance, other.clientId) };
  },
  "access revoked by the person or an administrator": async () => {
    const { access_token: token, refresh_token: refresh } = await sso.connect(app, "three");
    return { token, end: () => app.revoke(refresh) };
  },
  "service-issued token revoked": async () => {
    const draft = { kind: "client-api" as const, scopes: ["SEARCH"], person: "ben@acme.example" };
    const { id, secret } = await issueToken(instance, draft);
    return { token: secret, end: () => servicesOf(env).administrationOf(instance, "test").serviceTokens.revoke(id) };
  },
};

describe("access that ended", () => {
  it.each(Object.keys(PATHS))("is refused within ten seconds in an isolate that was not told: %s", async (name) => {
    const make = PATHS[name];
    if (!make) throw new Error(`there is no path ${name}`);
    const { token, end } = await make();
    // For a token that is valid otherwise, an administrator has to act (docs/decisions/0035-clients-that-may-not-call.md).
    const status = name === "app disabled" ? 403 : 401;
    // One isolate is asked every second, and the other is quiet until the last moment.
    const [busy, quiet] = [new ObservedIsolate(), new ObservedIsolate()];
    expect([(await busy.search(token)).status, (await quiet.search(token)).status]).toEqual([200, 200]);
    await end();
    let seconds = 0;
    for (let asked = 200; asked === 200 && seconds < REACH_SECONDS; ) {
      travel(1);
      seconds += 1;
      ({ status: asked } = await busy.search(token));
    }
    travel(REACH_SECONDS - seconds);
    expect([(await busy.search(token)).status, (await quiet.search(token)).status]).toEqual([status, status]);
  });
});
