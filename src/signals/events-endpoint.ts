import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { mediaType, noStore, readBytes, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { SecurityEventError } from "#protocol/errors.ts";
import type { SecurityEvents } from "./security-events.ts";

const http = createFactory<InstanceEnv<{ readonly securityEvents: SecurityEvents }>>();

/** POST /signals/events (RFC 8935 §2). */
export const securityEventsEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "signal");
  if (mediaType(c) !== "application/secevent+jwt") {
    const description = "Send one security event token as application/secevent+jwt";
    throw new SecurityEventError("invalid_request", { reason: "signal_malformed", description });
  }
  const token = new TextDecoder().decode(await readBytes(c)).trim();
  const { securityEvents } = c.var.services;
  await securityEvents.receive(c.var.instance, token, c.req.header("authorization"), waitUntil(c));
  return c.body(null, 202);
});
