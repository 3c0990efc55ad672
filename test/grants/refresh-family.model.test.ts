import type { InstanceRecord } from "#instance/instances.ts";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient, search, type TokenAnswer } from "../support/app-client.ts";
import { DirectGrants } from "../support/direct-grants.ts";
import { makeInstance, setDeactivated } from "../support/world.ts";
import { runs } from "../support/properties.ts";

const HOUR = 3600;
const SCOPE = "SEARCH CHAT offline_access";
/** Longer than an access token is valid, so that a repetition has to give a valid one. */
const GRACE_SECONDS = 20 * 60;
const IDLE_SECONDS = 2 * HOUR;
const GRANT_SECONDS = 5 * HOUR;
const ACCESS_TOKEN_SECONDS = 10 * 60;

/**
 * What the standard and the documentation say about a refresh family, written without looking at the implementation.
 */
interface Family {
  now: number;
  /** The number of the newest refresh token: how often the family has rotated. */
  newest: number;
  lastRotatedAt: number;
  readonly endsAt: number;
  isEnded: boolean;
  isDeactivated: boolean;
  access: { readonly searches: boolean; readonly endsAt: number };
}

/** The service, as a client sees it. */
interface Client {
  readonly app: AppClient;
  readonly instance: InstanceRecord;
  readonly email: string;
  readonly refreshTokens: (string | undefined)[];
  accessToken: string;
}

type Command = fc.AsyncCommand<Family, Client>;

/** Refreshes with the newest token (age 0), the one before it (1), or an older one. */
class Refresh implements Command {
  readonly age: number;
  readonly scope: string | undefined;

  constructor(age: number, scope: string | undefined) {
    this.age = age;
    this.scope = scope;
  }

  check = ({ newest }: Readonly<Family>) => newest >= this.age;

  async run(family: Family, client: Client): Promise<void> {
    const presented = family.newest - this.age;
    const refusal = refusalOf(family, this.age, this.scope);
    const response = await client.app.refresh(client.refreshTokens[presented], { scope: this.scope });
    const answer = await response.json<TokenAnswer & { error?: string }>();
    expect({ status: response.status, error: answer.error }).toEqual({
      status: refusal === undefined ? 200 : 400,
      error: refusal,
    });
    if (refusal !== undefined) return;
    expect(answer.scope).toBe(this.scope ?? SCOPE);
    if (this.age === 0) {
      family.newest += 1;
      family.lastRotatedAt = family.now;
      expect(client.refreshTokens).not.toContain(answer.refresh_token);
      client.refreshTokens.push(answer.refresh_token);
    }
    // A repeated refresh gets the successor that exists, and no second one.
    expect(answer.refresh_token).toBe(client.refreshTokens[family.newest]);
    client.accessToken = answer.access_token;
    family.access = { searches: this.scope !== "CHAT", endsAt: family.now + ACCESS_TOKEN_SECONDS };
  }

  toString = () => `refresh(${this.age === 0 ? "newest" : `${this.age} before`}, ${this.scope ?? "all"})`;
}

/** Returns the refusal of a refresh, and changes the family accordingly. */
function refusalOf(family: Family, age: number, scope: string | undefined): string | undefined {
  if (family.isEnded || family.now >= family.endsAt) return "invalid_grant";
  const sinceRotation = family.now - family.lastRotatedAt;
  if (age > 1 || (age === 1 && sinceRotation > GRACE_SECONDS)) {
    family.isEnded = true;
    return "invalid_grant";
  }
  if (sinceRotation >= IDLE_SECONDS || family.isDeactivated) return "invalid_grant";
  return scope?.includes("DOCUMENTS") === true ? "invalid_scope" : undefined;
}

class Search implements Command {
  check = () => true;

  async run({ now, isEnded, isDeactivated, access }: Family, client: Client): Promise<void> {
    const holds = !isEnded && !isDeactivated && now < access.endsAt;
    const { status } = await search(client.accessToken, { query: "-" });
    expect(status).toBe(holds ? (access.searches ? 200 : 403) : 401);
  }

  toString = () => "search";
}

class Wait implements Command {
  readonly seconds: number;

  constructor(seconds: number) {
    this.seconds = seconds;
  }

  check = () => true;

  async run(family: Family): Promise<void> {
    family.now += this.seconds;
    vi.setSystemTime(family.now * 1000);
  }

  toString = () => `wait(${this.seconds} s)`;
}

/** Refreshes at a certain moment after the last rotation, at which the result changes. */
class RefreshAt implements Command {
  readonly secondsAfterRotation: number;
  readonly age: number;

  constructor(secondsAfterRotation: number, age: number) {
    this.secondsAfterRotation = secondsAfterRotation;
    this.age = age;
  }

  check = (family: Readonly<Family>) =>
    family.newest >= this.age && family.now <= family.lastRotatedAt + this.secondsAfterRotation;

  async run(family: Family, client: Client): Promise<void> {
    await new Wait(family.lastRotatedAt + this.secondsAfterRotation - family.now).run(family);
    await new Refresh(this.age, undefined).run(family, client);
  }

  toString = () => `refresh(${this.age} before) ${this.secondsAfterRotation} s after the last rotation`;
}

class Revoke implements Command {
  readonly byAccessToken: boolean;

  constructor(byAccessToken: boolean) {
    this.byAccessToken = byAccessToken;
  }

  check = () => true;

  async run(family: Family, client: Client): Promise<void> {
    const token = this.byAccessToken ? client.accessToken : client.refreshTokens[family.newest];
    expect((await client.app.revoke(token)).status).toBe(200);
    family.isEnded = true;
  }

  toString = () => `revoke(${this.byAccessToken ? "access token" : "refresh token"})`;
}

class SetDeactivated implements Command {
  readonly deactivated: boolean;

  constructor(deactivated: boolean) {
    this.deactivated = deactivated;
  }

  check = ({ isDeactivated }: Readonly<Family>) => isDeactivated !== this.deactivated;

  async run(family: Family, client: Client): Promise<void> {
    await setDeactivated(client.instance, client.email, this.deactivated);
    family.isDeactivated = this.deactivated;
    // What ends with a deactivation does not come back with the person.
    if (this.deactivated) family.isEnded = true;
  }

  toString = () => (this.deactivated ? "deactivate" : "reactivate");
}

const scope = fc.option(fc.constantFrom("CHAT", "SEARCH", "SEARCH CHAT", "DOCUMENTS", "SEARCH DOCUMENTS"), {
  nil: undefined,
  freq: 2,
});

/** Many commands that continue the family and few that end it, so that most runs get far. */
const commands = fc.commands(
  [
    scope.map((wanted) => new Refresh(0, wanted)),
    fc.constant(new Refresh(0, undefined)),
    fc.constant(new Refresh(0, undefined)),
    scope.map((wanted) => new Refresh(1, wanted)),
    fc.integer({ min: 2, max: 4 }).map((age) => new Refresh(age, undefined)),
    fc.constant(new Search()),
    fc.constantFrom(1, 10, GRACE_SECONDS, GRACE_SECONDS + 1).map((seconds) => new Wait(seconds)),
    fc.constantFrom(ACCESS_TOKEN_SECONDS, HOUR, IDLE_SECONDS - 1, IDLE_SECONDS).map((seconds) => new Wait(seconds)),
    fc.constantFrom(GRACE_SECONDS, GRACE_SECONDS + 1).map((seconds) => new RefreshAt(seconds, 1)),
    fc.constantFrom(IDLE_SECONDS - 1, IDLE_SECONDS).map((seconds) => new RefreshAt(seconds, 0)),
    fc.boolean().map((byAccessToken) => new Revoke(byAccessToken)),
    fc.boolean().map((deactivated) => new SetDeactivated(deactivated)),
  ],
  { maxCommands: 30, size: "max" },
);

describe("a refresh family (OAuth 2.1 §4.3, RFC 9700 §4.14.2)", () => {
  let instance: InstanceRecord;
  let app: AppClient;
  let grants: DirectGrants;
  let now = Math.floor(Date.now() / 1000);
  let people = 0;

  beforeAll(async () => {
    instance = await makeInstance("acme", {
      grantIdleSeconds: IDLE_SECONDS,
      refreshRepeatSeconds: GRACE_SECONDS,
      grantLifetimeSeconds: GRANT_SECONDS,
      accessTokenLifetimeSeconds: ACCESS_TOKEN_SECONDS,
    });
    app = await AppClient.registered();
    grants = new DirectGrants(instance);
  });

  async function begin(): Promise<{ model: Family; real: Client }> {
    people += 1;
    const email = `person${people}@acme.example`;
    const grant = await grants.grant(app, email, SCOPE, GRANT_SECONDS);
    const { access_token, refresh_token } = await (await app.redeem(grant)).json<TokenAnswer>();
    const model: Family = {
      now,
      newest: 0,
      lastRotatedAt: now,
      endsAt: now + GRANT_SECONDS,
      isEnded: false,
      isDeactivated: false,
      access: { searches: true, endsAt: now + ACCESS_TOKEN_SECONDS },
    };
    return { model, real: { app, instance, email, refreshTokens: [refresh_token], accessToken: access_token } };
  }

  it("responds to every sequence of acts as its model predicts", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    await fc.assert(
      fc.asyncProperty(commands, async (acts) => {
        vi.setSystemTime(now * 1000);
        const scene = await begin();
        try {
          await fc.asyncModelRun(() => scene, acts);
        } finally {
          // The clock never goes back, because the Worker remembers when it read something.
          now = scene.model.now + 60;
        }
      }),
      { numRuns: runs(25) },
    );
  });
});
