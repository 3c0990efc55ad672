import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { mediaType, noStore, readBytes, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { SecurityEventError } from "#protocol/errors.ts";
import { receiveEvents } from "./security-events.ts";
import type { SignalServices } from "./signal-services.ts";

const http = createFactory<InstanceEnv<SignalServices>>();

/** POST /signals/events (RFC 8935 §2). */
export const securityEventsEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "signal");
  if (mediaType(c) !== "application/secevent+jwt") {
    const description = "Send one security event token as application/secevent+jwt";
    throw new SecurityEventError("invalid_request", { reason: "signal_malformed", description });
  }
  const token = new TextDecoder().decode(await readBytes(c)).trim();
  await receiveEvents(c.var.services, c.var.instance, token, c.req.header("authorization"), waitUntil(c));
  return c.body(null, 202);
});
