import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { RefusalReason } from "#protocol/refusal-reasons.ts";

/** The files with words about reasons. */
const WORDS = ["src/connection-attempts/advice.ts", "src/pages/views/reason-words.ts"];

/** Reasons have underscores, and names of other things in these files don't. */
const REASON = /^ {2}([a-z\d]+(?:_[a-z\d]+)+):/gm;

const code = globSync("src/**/*.{ts,tsx}")
  .filter((path) => !WORDS.includes(path))
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

describe("the reasons of refusals", () => {
  it.each(WORDS)("have words in %s only if something is refused with them", (path) => {
    const reasons = [...readFileSync(path, "utf8").matchAll(REASON)].map(([, reason = ""]) => reason);
    expect(reasons.length).toBeGreaterThan(20);
    expect(reasons.filter((reason) => !code.includes(`"${reason}"`))).toEqual([]);
  });

  it("are words of our own code, and no text that a caller sent", () => {
    const sent: string = "code_expired";
    // @ts-expect-error: it may be any text
    const reason: RefusalReason = sent;
    expect(reason).toBe("code_expired");
  });
});
