import worker, { DocumentsObject } from "#index.ts";
import type { Bindings } from "#platform/bindings.ts";
import { stopClock } from "./standing-clock.ts";

export { DocumentsObject };

stopClock();
const counter = { limit: async () => ({ success: true }) };

/** One for each environment object, because the Worker's services are cached by it. */
const uncounted = new WeakMap<Bindings, Bindings>();

/** The Worker without Miniflare's rate limits, which run as another Worker in the measured process. */
export default {
  fetch(request, bindings, context) {
    const known = uncounted.get(bindings) ?? {
      ...bindings,
      RATE_LIMIT_60: counter,
      RATE_LIMIT_300: counter,
      RATE_LIMIT_3000: counter,
    };
    uncounted.set(bindings, known);
    return worker.fetch(request, known, context);
  },
} satisfies ExportedHandler<Bindings>;
