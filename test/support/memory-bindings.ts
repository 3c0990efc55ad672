import { bindingOf, RATE_LIMITS, RATE_PERIOD_SECONDS, type RateLimitBinding } from "#platform/rate-limits.ts";

/** The real clock, which no test moves. Miniflare's rate limits and its KV use that one too. */
const { now } = Date;

type Counters = Readonly<Record<RateLimitBinding, RateLimit>>;

/**
 * Returns the Worker's rate limits, in memory. Each count of Miniflare's is a request to an object with a database, which takes
 * longer than most of what it counts. test/platform/memory-bindings.test.ts checks that both behave the same.
 */
export function memoryCounters(): Counters {
  return Object.fromEntries(RATE_LIMITS.map(({ limit }) => [bindingOf({ limit }), memoryCounter(limit)])) as Counters;
}

/** Counts in memory. A new period begins for all keys at the full minute. */
function memoryCounter(limit: number): RateLimit {
  const counts = new Map<string, number>();
  let period = 0;
  return {
    async limit({ key }) {
      const current = Math.floor(now() / (RATE_PERIOD_SECONDS * 1000));
      if (current !== period) counts.clear();
      period = current;
      const count = counts.get(key) ?? 0;
      if (count >= limit) return { success: false };
      counts.set(key, count + 1);
      return { success: true };
    },
  };
}

/** KV's limits, beyond which it throws. */
const KEY_BYTES_MAX = 512;
const TTL_SECONDS_MIN = 60;

/**
 * The part of a KV namespace that the Worker uses, in memory. It is checked against Miniflare's like {@link memoryCounters}.
 */
export function memoryCache(): KVNamespace {
  const entries = new Map<string, { value: string; expiresAt: number }>();
  const cache = {
    async get(key: string, type?: "json") {
      requireKey(key);
      const entry = entries.get(key);
      if (!entry || entry.expiresAt <= now()) return null;
      return type === "json" ? (JSON.parse(entry.value) as unknown) : entry.value;
    },
    async put(key: string, value: string, { expirationTtl = Infinity }: { expirationTtl?: number } = {}) {
      requireKey(key);
      if (expirationTtl < TTL_SECONDS_MIN) throw new Error("KV PUT failed: 400 Invalid expiration_ttl");
      entries.set(key, { value, expiresAt: now() + expirationTtl * 1000 });
    },
  };
  return cache as unknown as KVNamespace;
}

function requireKey(key: string): void {
  if (key === "") throw new TypeError("Key name cannot be empty.");
  if (new TextEncoder().encode(key).length > KEY_BYTES_MAX)
    throw new Error("KV failed: 414 UTF-8 encoded length of key");
}
