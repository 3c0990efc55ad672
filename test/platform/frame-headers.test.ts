import { jsonLikenessOf, setFrameHeaders } from "#platform/frame-headers.ts";
import { requestFrame } from "#platform/frame-middleware.ts";
import { answerJson } from "#platform/http.ts";
import type { AnswerFrame, RouteEnv } from "#platform/route-env.ts";
import { HonoBase } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import { describe, expect, it } from "vitest";

const FRAME = {
  requestId: "first",
  origin: "https://acme.example",
  isSecure: true,
  dpopNonce: undefined,
  challenge: undefined,
  made: undefined,
};

describe("the headers of every response", () => {
  it("are the same if a response is created with them or they are set on it later", () => {
    for (const isSecure of [true, false]) {
      for (const dpopNonce of [undefined, "nonce"]) {
        const frame = { ...FRAME, isSecure, dpopNonce };
        const set = new Headers({ "Content-Type": "application/json", "Cache-Control": "no-store" });
        setFrameHeaders(set, frame);
        expect([...jsonLikenessOf(frame).headers]).toEqual([...set]);
        expect(set.has("Strict-Transport-Security")).toBe(isSecure);
      }
    }
  });

  it("never carry over from one response to another", () => {
    const made = (frame: Partial<AnswerFrame>) => new Response("{}", jsonLikenessOf({ ...FRAME, ...frame }));
    const offered = made({ dpopNonce: "for the first" });
    offered.headers.set("Access-Control-Allow-Origin", "*");
    const next = made({ requestId: "second" });
    expect([offered, next].map(({ headers }) => headers.get("X-Request-Id"))).toEqual(["first", "second"]);
    expect(next.headers.has("DPoP-Nonce")).toBe(false);
    expect(next.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });

  it("are also on an error response that replaces a response created with them", async () => {
    const app = new HonoBase<RouteEnv>({ router: new TrieRouter() });
    app.use(requestFrame(() => ({})));
    app.onError(() => new Response("failed", { status: 500 }));
    app.get("/made", (c) => answerJson(c, {}));
    app.get("/no-json", (c) => answerJson(c, 1n));
    app.get("/replaced", (c) => {
      answerJson(c, {});
      throw new Error("late");
    });
    for (const path of ["/made", "/no-json", "/replaced"]) {
      const { headers } = await app.request(`https://acme.example${path}`, {}, {});
      expect([headers.has("X-Request-Id"), headers.get("X-Content-Type-Options")]).toEqual([true, "nosniff"]);
    }
  });
});
