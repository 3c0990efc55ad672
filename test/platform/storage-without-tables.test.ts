import { createScheduledController } from "cloudflare:test";
import worker from "#index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { AppClient } from "../support/app-client.ts";
import { readRefusal } from "../support/challenge.ts";
import { env } from "../support/isolate.ts";
import { ObservedIsolate } from "../support/observed-isolate.ts";
import { issueClientApiToken, makeInstance, travel } from "../support/world.ts";

let serviceIssued: string;

beforeAll(async () => {
  serviceIssued = await issueClientApiToken(await makeInstance(), "ben@acme.example", "SEARCH");
});

describe("a deployment whose database has an older version", () => {
  beforeAll(() => env.DB.exec("ALTER TABLE instances RENAME COLUMN settings TO earlier_settings"));
  afterAll(() => env.DB.exec("ALTER TABLE instances RENAME COLUMN earlier_settings TO settings"));

  it("responds 503 with the reason if a column is missing, and doesn't name the column", async () => {
    const response = await new ObservedIsolate().send("/.well-known/oauth-protected-resource");
    expect(response.status).toBe(503);
    const refusal = await readRefusal(response);
    expect(refusal).toMatchObject({
      error: "temporarily_unavailable",
      message: expect.stringContaining("older version"),
    });
    expect(JSON.stringify(refusal)).not.toContain("settings");
  });
});

describe("a deployment whose database has another version", () => {
  const step = (version: number, oldestReader: number) =>
    env.DB.exec(`INSERT INTO schema_versions VALUES (${version}, ${oldestReader}, 0)`);
  const back = () => env.DB.exec("DELETE FROM schema_versions WHERE version > 1");

  afterEach(async () => {
    await back();
    vi.useRealTimers();
  });

  it("works if this code can serve the newer tables", async () => {
    await step(9, 1);
    expect((await new ObservedIsolate().search(serviceIssued)).status).toBe(200);
  });

  it("responds 503 with the reason to everything if it can't, also in a running isolate within ten seconds", async () => {
    const running = new ObservedIsolate();
    expect((await running.search(serviceIssued)).status).toBe(200);
    await step(9, 2);
    travel(10);
    for (const isolate of [running, new ObservedIsolate()]) {
      for (const response of [await isolate.search(serviceIssued), await isolate.send("/oauth/jwks")]) {
        expect(response.status).toBe(503);
        expect(await readRefusal(response)).toMatchObject({ message: expect.stringContaining("newer version") });
      }
    }
    await expect(worker.scheduled(createScheduledController(), env)).rejects.toThrow("schema version");
    await back();
    expect((await new ObservedIsolate().search(serviceIssued)).status).toBe(200);
  });

  it("responds 503 with the reason if the tables are older, although all that it reads is there", async () => {
    await env.DB.exec("UPDATE schema_versions SET version = 0");
    const response = await new ObservedIsolate().search(serviceIssued);
    await env.DB.exec("UPDATE schema_versions SET version = 1");
    expect(response.status).toBe(503);
    expect(await readRefusal(response)).toMatchObject({ message: expect.stringContaining("older version") });
  });
});

describe("a deployment whose database lacks tables", () => {
  let warm: ObservedIsolate;
  let own: string;

  beforeAll(async () => {
    own = (await (await AppClient.registered()).tokens()).access_token;
    warm = new ObservedIsolate();
    expect((await warm.search(own)).status).toBe(200);
    for (const table of [
      "service_token_origins",
      "service_token_secrets",
      "service_tokens",
      "authorization_requests",
      "grants",
    ]) {
      await env.DB.exec(`DROP TABLE ${table}`);
    }
  });

  async function expectTablesMissing(response: Response): Promise<void> {
    expect(response.status).toBe(503);
    expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await readRefusal(response)).toEqual({
      error: "temporarily_unavailable",
      message: expect.stringContaining("schema apply"),
      requestId: response.headers.get("X-Request-Id"),
    });
  }

  it("responds 503 and says what to do, and lets nobody in", async () => {
    const cold = new ObservedIsolate();
    for (const token of [undefined, own, serviceIssued]) await expectTablesMissing(await cold.search(token));
    await expectTablesMissing(await cold.send("/.well-known/oauth-protected-resource"));
  });

  it("responds the same in a warm isolate, if only the token's own table is missing", async () => {
    await expectTablesMissing(await warm.search(serviceIssued));
  });

  it("reveals no table and no statement to the caller", async () => {
    const text = await (await warm.search(serviceIssued)).text();
    expect(text).not.toMatch(/service_token|SELECT|SQLITE|D1_ERROR/);
  });
});
