import { jsonHeadersOf, setFrameHeaders } from "#platform/frame-headers.ts";
import type { AnswerFrame } from "#platform/route-env.ts";
import { describe, expect, it } from "vitest";

const FRAME = { requestId: "first", isSecure: true, dpopNonce: undefined, isGiven: false };

describe("the headers of every answer", () => {
  it("are the same on an answer that is made with them and on one that they are set on", () => {
    for (const isSecure of [true, false]) {
      for (const dpopNonce of [undefined, "nonce"]) {
        const frame = { ...FRAME, isSecure, dpopNonce };
        const set = new Headers({ "Content-Type": "application/json", "Cache-Control": "no-store" });
        setFrameHeaders(set, frame);
        expect([...jsonHeadersOf(frame)]).toEqual([...set]);
        expect(set.has("Strict-Transport-Security")).toBe(isSecure);
      }
    }
  });

  it("leave nothing of one answer on another", () => {
    const made = (frame: Partial<AnswerFrame>) =>
      new Response("{}", { headers: jsonHeadersOf({ ...FRAME, ...frame }) });
    const offered = made({ dpopNonce: "for the first" });
    offered.headers.set("Access-Control-Allow-Origin", "*");
    const next = made({ requestId: "second" });
    expect([offered, next].map(({ headers }) => headers.get("X-Request-Id"))).toEqual(["first", "second"]);
    expect(next.headers.has("DPoP-Nonce")).toBe(false);
    expect(next.headers.has("Access-Control-Allow-Origin")).toBe(false);
  });
});
