import { compareClocks } from "#doctor/providers.ts";
import { type Ask, checkFromOutside, checkFront } from "../../scripts/admin/outside-check.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { changeSettings, makeInstance, ORIGIN, send } from "../support/world.ts";

const NOW = () => Math.floor(Date.now() / 1000);

/** Sends requests to the Worker through something in front of it that changes responses. */
function behind(change: (response: Response, request: Request) => Response | Promise<Response>): Ask {
  return async (request) => {
    const init = { method: request.method, headers: [...request.headers] as [string, string][] };
    const response = await send(request.url, request.method === "POST" ? { ...init, body: "{}" } : init);
    return change(response, request);
  };
}

const untouched = behind((response) => response);

/** Returns the verdicts other than OK, by check. */
async function complaints(ask: Ask, origin = ORIGIN): Promise<Record<string, string>> {
  const findings = await checkFromOutside(origin, ask, NOW);
  return Object.fromEntries(
    findings.filter(({ verdict }) => verdict !== "ok").map(({ check, verdict }) => [check, verdict]),
  );
}

/** Simulates something in front that removes a header. */
function without(header: string): Ask {
  return behind((response) => {
    const headers = new Headers(response.headers);
    headers.delete(header);
    return new Response(response.body, { status: response.status, headers });
  });
}

describe("the doctor's checks of an instance from outside", () => {
  beforeAll(async () => {
    await makeInstance();
  });

  it("find nothing except plain http", async () => {
    expect(await complaints(untouched)).toEqual({ Address: "warning" });
  });

  it("warn if OAuth is off", async () => {
    await changeSettings("acme", { oauthEnabled: false });
    expect((await complaints(untouched))["Authorization server metadata"]).toBe("warning");
    await changeSettings("acme", { oauthEnabled: true });
  });

  it.each([
    ["Access-Control-Allow-Origin", "Browser apps (CORS)"],
    ["Access-Control-Allow-Headers", "Browser apps (CORS)"],
    ["WWW-Authenticate", "Response to a call without a token"],
    ["Content-Security-Policy", "Sign-in pages"],
    ["X-Frame-Options", "Sign-in pages"],
  ])("fail if something in front removes %s", async (header, check) => {
    expect((await complaints(without(header)))[check]).toBe("failed");
  });

  it("fail over https without HSTS", async () => {
    const overHttps: Ask = (request) => untouched(new Request(request.url.replace("https:", "http:"), request));
    expect((await complaints(overHttps, ORIGIN.replace("http:", "https:")))["Address"]).toBe("failed");
  });

  it("fail if another instance responds at the address", async () => {
    await makeInstance("other");
    const elsewhere: Ask = (request) => untouched(new Request(request.url.replace("acme", "other"), request));
    const found = await complaints(elsewhere);
    expect(found["Authorization server metadata"]).toBe("failed");
    expect(found["Resource metadata"]).toBe("failed");
    expect(found["Response to a call without a token"]).toBe("failed");
  });

  it("fail if the key set is empty or contains a private key", async () => {
    const keys = (jwks: unknown[]) =>
      behind((response, request) => (request.url.endsWith("/jwks") ? Response.json({ keys: jwks }) : response));
    expect((await complaints(keys([])))["Published keys"]).toBe("failed");
    expect((await complaints(keys([{ kty: "EC", kid: "a", d: "secret" }])))["Published keys"]).toBe("failed");
  });

  it("warn or fail in every check if nothing responds", async () => {
    const found = await complaints(() => Promise.reject(new Error("connection refused")));
    expect(Object.keys(found)).toHaveLength(8);
    expect(new Set(Object.values(found))).toEqual(new Set(["warning", "failed"]));
  });
});

describe("two clocks", () => {
  it("may differ by half a minute", () => {
    const date = "Sat, 21 Nov 2026 12:00:00 GMT";
    const at = Date.parse(date) / 1000;
    expect(compareClocks("Clock", "our", date, at + 30).verdict).toBe("ok");
    expect(compareClocks("Clock", "our", date, at - 31).verdict).toBe("failed");
    expect(compareClocks("Clock", "our", null, at).verdict).toBe("ok");
  });
});

describe("the doctor's requests with the names of assistants", () => {
  /** Simulates a rule that answers an assistant in the Worker's place. */
  const blocking = (assistant: string, status: number, headers: Readonly<Record<string, string>> = {}) =>
    behind((response, request) =>
      request.headers.get("user-agent") === assistant ? new Response("", { status, headers }) : response,
    );

  it("find nothing if the Worker answers them, even with a refusal", async () => {
    expect(await checkFront(ORIGIN, untouched)).toMatchObject({ verdict: "ok" });
  });

  it.each(["Claude-User", "ChatGPT-User"])("fail if a rule blocks %s, and name the rule to look for", async (name) => {
    const finding = await checkFront(ORIGIN, blocking(name, 403));
    expect(finding).toMatchObject({ verdict: "failed", meaning: expect.stringContaining(`${name} gets 403`) });
    expect(finding.remedy).toContain("Block AI bots");
  });

  it("fail if a challenge page is in front", async () => {
    const finding = await checkFront(ORIGIN, blocking("Claude-User", 403, { "cf-mitigated": "challenge" }));
    expect(finding).toMatchObject({ verdict: "failed", meaning: expect.stringContaining("challenge page") });
    expect(finding.remedy).toContain("Bot Fight Mode");
  });

  it("fail if the address can't be reached", async () => {
    const finding = await checkFront(ORIGIN, () => Promise.reject(new Error("no route")));
    expect(finding).toMatchObject({ verdict: "failed", meaning: expect.stringContaining("no route") });
  });
});
