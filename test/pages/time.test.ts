import { describe, expect, it } from "vitest";
import { agoOf } from "#pages/views/time.tsx";

const NOW = 1_800_000_000;
const DAY = 86_400;

describe("a time in words", () => {
  it.each([
    [20, "now", "jetzt"],
    [61, "1 minute ago", "vor 1 Minute"],
    [47 * 3600, "1 day ago", "vor 1 Tag"],
    [3 * DAY, "3 days ago", "vor 3 Tagen"],
    [-14 * DAY, "in 14 days", "in 14 Tagen"],
    [70 * DAY, "2 months ago", "vor 2 Monaten"],
    [800 * DAY, "2 years ago", "vor 2 Jahren"],
  ])("is counted in the largest unit that has passed: %d seconds", (seconds, english, german) => {
    expect([agoOf(NOW - seconds, NOW, "en"), agoOf(NOW - seconds, NOW, "de")]).toEqual([english, german]);
  });
});
