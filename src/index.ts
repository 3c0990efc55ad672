import type { Bindings } from "#platform/bindings.ts";
import { describeError, log } from "#platform/log.ts";
import { app } from "./app.ts";
import { servicesOf } from "./services.ts";

/** The Worker: requests go to the router; the cron trigger rotates keys and sweeps what has expired. */
export default {
  fetch: app.fetch,
  async scheduled(_controller, bindings): Promise<void> {
    try {
      const { signingKeys, sweep } = servicesOf(bindings);
      log({ level: "info", event: "maintained", rotated: await signingKeys.rotateDue(), ...(await sweep.run()) });
    } catch (error) {
      log({ level: "error", event: "maintenance_failed", detail: describeError(error) });
    }
  },
} satisfies ExportedHandler<Bindings>;
