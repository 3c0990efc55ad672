import { backendTimeMillis } from "#client-api/backend-time.ts";
import { expect, it } from "vitest";

it("a response tells no time finer than a tenth of a second", () => {
  expect([0, 1, 99, 100, 101, 730].map((took) => backendTimeMillis(5000, 5000 + took))).toEqual([
    0, 100, 100, 100, 200, 800,
  ]);
});
