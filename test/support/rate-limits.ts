import { bindingOf, RATE_LIMITS, type RateLimitBinding } from "#platform/rate-limits.ts";
import { vi } from "vitest";
import { env } from "./isolate.ts";

/**
 * Uses up a caller's rate limit: sees which keys a first request counts, counts them as often as the limit allows, and sends
 * another request. Sending that many requests would take longer than the limit's minute on a busy machine. If a new minute has
 * begun meanwhile, it tries again.
 *
 * @returns the responses before and after
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

/** Turns off a rate limit until the end of the test. */
export function stopCounting(binding: RateLimitBinding): void {
  vi.spyOn(env[binding], "limit").mockResolvedValue({ success: true });
}
