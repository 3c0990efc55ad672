import type { WaitUntil } from "#platform/wait-until.ts";
import { BoundedMap } from "#platform/bounded-map.ts";
import { describeError, log } from "#platform/log.ts";
import type { ServiceToken } from "./service-token.ts";
import type { D1ServiceTokens } from "./service-tokens.d1.ts";

const HOUR_SECONDS = 3600;

/** Maximum tokens that an isolate remembers. For a forgotten one, an extra statement finds nothing to change. */
const TOKENS_MAX = 5000;

/**
 * Records when each token was last used, to the hour: one statement for each hour, isolate and token, after the response.
 */
export class LastUse {
  readonly #store: Pick<D1ServiceTokens, "recordUse">;
  readonly #recorded = new BoundedMap<string, number>(TOKENS_MAX);

  constructor(store: Pick<D1ServiceTokens, "recordUse">) {
    this.#store = store;
  }

  /** Notes a use. Never throws and never waits. A failure is logged, and recording is tried again in the next hour. */
  note(instanceId: number, token: ServiceToken, now: number, waitUntil: WaitUntil): void {
    const hour = now - (now % HOUR_SECONDS);
    if (Math.max(this.#recorded.get(token.id) ?? 0, token.lastUsedAt ?? 0) >= hour) return;
    this.#recorded.set(token.id, hour);
    waitUntil(
      this.#store.recordUse(instanceId, token.id, hour).catch((error: unknown) => {
        log({ level: "warn", event: "last_use_not_recorded", token: token.id, detail: describeError(error) });
      }),
    );
  }
}
