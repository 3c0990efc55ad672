import { vi } from "vitest";

/** Makes it the time that `seconds` returns, in seconds since 1970, until the test ends. */
export function timeIs(seconds: () => number): void {
  vi.spyOn(Date, "now").mockImplementation(() => seconds() * 1000);
}
