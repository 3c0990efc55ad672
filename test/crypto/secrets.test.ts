import { randomId } from "#crypto/secrets.ts";
import { expect, it, vi } from "vitest";

it("randomId never begins with a hyphen, which commands would read as an option", () => {
  const bytes = [new Uint8Array(16).fill(0xf8), new Uint8Array(16).fill(0xfb), new Uint8Array(16).fill(1)];
  vi.spyOn(crypto, "getRandomValues").mockImplementation((array) => {
    (array as Uint8Array).set(bytes.shift() ?? []);
    return array;
  });
  expect(randomId()).toBe("AQEBAQEBAQEBAQEBAQEBAQ");
});
