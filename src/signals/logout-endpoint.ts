import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "#platform/handlers.ts";
import { noStore, readForm, waitUntil } from "#platform/http.ts";
import { requireWithinRate } from "#platform/rate-limit.ts";
import { receiveLogout } from "./back-channel-logout.ts";
import type { SignalServices } from "./signal-services.ts";

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
