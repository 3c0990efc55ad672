import { describe, expect, it } from "vitest";
import { deviceOf } from "#session/device.ts";

const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)";
const PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

describe("the device of a session", () => {
  it.each([
    [`${MAC} Chrome/142.0.0.0 Safari/537.36`, "Chrome, macOS"],
    [`${MAC} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, "Edge, macOS"],
    [`${PHONE} Version/19.1 Mobile/15E148 Safari/604.1`, "Safari, iPhone"],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox, Windows"],
    ["curl/8.1 <b>", ""],
  ])("is named as people know it, never as it describes itself: %s", (userAgent, device) => {
    expect(deviceOf(userAgent)).toBe(device);
  });
});
