export { DocumentsObject } from "#documents/documents-object.ts";
import type { Bindings } from "#platform/bindings.ts";
import { describeError, log } from "#platform/log.ts";
import { app } from "./app.ts";
import { servicesOf } from "./services.ts";

/** The Worker: requests go to the router; the cron trigger does the maintenance. */
export default {
  fetch: app.fetch,
  async scheduled(_controller, bindings): Promise<void> {
    try {
      await servicesOf(bindings).maintenance.run();
    } catch (error) {
      log({ level: "error", event: "maintenance_failed", detail: describeError(error) });
    }
  },
} satisfies ExportedHandler<Bindings>;
