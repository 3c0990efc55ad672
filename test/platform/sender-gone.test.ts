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

/** The beginning of a body whose sender then goes away. */
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

describe("a request whose sender goes away", () => {
  it.each([
    ["/oauth/token", "application/x-www-form-urlencoded"],
    ["/oauth/register", "application/json"],
    ["/rest/api/v1/search", "application/json"],
    ["/mcp", "application/json"],
  ])("%s: is no failure of the server", async (path, type) => {
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

  it("is none where the platform breaks off what is done for it", async () => {
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
