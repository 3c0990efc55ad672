import { log } from "#platform/log.ts";
import { describe, expect, it, vi } from "vitest";

describe("the log", () => {
  it.each([
    ["a token in a path", { path: `/rest/api/admin/v1/issuers/ghi_${"a1_-".repeat(12)}/enable` }],
    ["a refresh token that a refusal repeats", { detail: `There is no issuer ghr_${"Zz9".repeat(20)}` }],
    ["a JWT", { path: `/x/eyJ${"a".repeat(30)}.${"b".repeat(30)}.${"c".repeat(40)}` }],
  ])("masks %s, and keeps the rest", (_, fields) => {
    const info = vi.spyOn(console, "info").mockImplementation(() => undefined);
    log({ level: "info", event: "refused", ...fields, requestId: "kept" });
    const line = String(info.mock.calls[0]?.[0]);
    expect(line).toContain("[token]");
    expect(line).not.toMatch(/a1_|Zz9|bbb|ccc/);
    expect(JSON.parse(line)).toMatchObject({ event: "refused", requestId: "kept" });
  });

  it("keeps ids, which are shorter than tokens", () => {
    const info = vi.spyOn(console, "info").mockImplementation(() => undefined);
    log({ level: "info", event: "refused", path: "/admin/tokens/ghi_short/revoke", id: "eyJ-is-an-id-22-letters" });
    expect(String(info.mock.calls[0]?.[0])).not.toContain("[token]");
  });
});
