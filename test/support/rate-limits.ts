import { bindingOf, RATE_LIMITS, type RateLimitBinding } from "#platform/rate-limits.ts";
import { vi } from "vitest";
import { env } from "./isolate.ts";

/**
 * Uses up what one caller may ask: counts what a first request counted as often as the limit allows, and asks again. Asking as often
 * would take longer than the counter's minute on a busy machine. When a minute has just begun, it is all done once more.
 *
 * @returns the answers before and after
 */
export async function exhaust(
  binding: RateLimitBinding,
  ask: () => Promise<Response>,
): Promise<{ before: Response; after: Response }> {
  const limit = RATE_LIMITS.find((row) => bindingOf(row) === binding)?.limit ?? 0;
  for (let attempt = 1; ; attempt += 1) {
    const counted = vi.spyOn(env[binding], "limit");
    const before = await ask();
    const keys = counted.mock.calls.map(([{ key }]) => key);
    counted.mockRestore();
    if (keys.length === 0) throw new Error(`the request is not counted by ${binding}`);
    for (const key of keys) await Promise.all(Array.from({ length: limit }, () => env[binding].limit({ key })));
    const after = await ask();
    if (after.status === 429 || attempt === 3) return { before, after };
  }
}

/** Lets callers ask as often as they like, until the end of the test. */
export function stopCounting(binding: RateLimitBinding): void {
  vi.spyOn(env[binding], "limit").mockResolvedValue({ success: true });
}
