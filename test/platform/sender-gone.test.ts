import type { InstanceRecord } from "#instance/instances.ts";
import { Search } from "#client-api/search/search.ts";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { env } from "../support/isolate.ts";
import { issueClientApiToken, makeInstance, send } from "../support/world.ts";

let instance: InstanceRecord;
let token: string;

beforeAll(async () => {
  instance = await makeInstance();
  token = await issueClientApiToken(instance, "ben@acme.example", "SEARCH");
});

afterEach(() => vi.restoreAllMocks());

/** Returns a body that breaks off with an error after its first byte. */
function brokenOff(error: Error): ReadableStream<Uint8Array> {
  let isBegun = false;
  return new ReadableStream({
    pull(controller) {
      if (isBegun) controller.error(error);
      else controller.enqueue(new TextEncoder().encode("{"));
      isBegun = true;
    },
  });
}

const failures = () => env.DB.prepare("SELECT count(*) AS failures FROM failures").first("failures");

describe("a request whose sender disconnects", () => {
  it.each([
    ["/oauth/token", "application/x-www-form-urlencoded"],
    ["/oauth/register", "application/json"],
    ["/rest/api/v1/search", "application/json"],
    ["/mcp", "application/json"],
  ])("is not recorded as a failure of the server: %s", async (path, type) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    for (const error of [new DOMException("gone", "AbortError"), new Error("Network connection lost.")]) {
      const response = await send(path, {
        method: "POST",
        headers: { "Content-Type": type, Authorization: `Bearer ${token}` },
        body: brokenOff(error),
      });
      expect(response.status).toBe(400);
    }
    expect(logged).not.toHaveBeenCalled();
    expect(await failures()).toBe(0);
  });

  it("is not recorded as a failure if the platform aborts its work, unlike the same error in a live request", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(Search.prototype, "search").mockRejectedValue(new Error("Network connection lost."));
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: "{}",
    };
    expect((await send("/rest/api/v1/search", { ...init, signal: AbortSignal.abort() })).status).toBe(400);
    expect(logged).not.toHaveBeenCalled();
    expect(await failures()).toBe(0);
    expect((await send("/rest/api/v1/search", init)).status).toBe(500);
    expect(logged).toHaveBeenCalled();
  });
});
