import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { mediaType, noStore, readBytes, readForm, readJsonObject, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { receiveLogout } from "./back-channel-logout.ts";
import type { SignalServices } from "./signal-services.ts";
import { SecurityEventError } from "#protocol/errors.ts";
import { receiveEvents } from "./security-events.ts";
import { readBearer } from "#resource-server/authentication/bearer.ts";
import { challengeOf } from "#resource-server/authentication/gate-middleware.ts";
import { revokeAll } from "./global-token-revocation.ts";

const http = createFactory<InstanceEnv<SignalServices>>();

/** POST /oauth/backchannel-logout (OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8). */
export const backChannelLogoutEndpoint = http.createHandlers(noStore, async (c) => {
  await requireWithinRate(c, "signal");
  const form = await readForm(c);
  form.requireUnrepeated();
  const logoutToken = form.require("logout_token");
  await receiveLogout(c.var.services, c.var.instance, logoutToken, waitUntil(c));
  return c.body(null, 200);
});

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

/** Maximum size of a request, which has one subject identifier. */
const BODY_BYTES_MAX = 16 * 1024;

/** POST /oauth/global-token-revocation (draft-parecki-oauth-global-token-revocation). */
export const globalTokenRevocationEndpoint = http.createHandlers(noStore, async (c) => {
  c.get("frame").challenge = challengeOf("Global Token Revocation");
  await requireWithinRate(c, "signal");
  const assertion = readBearer(c.req.header("authorization"));
  const body = await readJsonObject(c, BODY_BYTES_MAX);
  await revokeAll(c.var.services, c.var.instance, assertion, body, waitUntil(c));
  return c.body(null, 204);
});
