import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "hono/factory";
import { brandOf } from "#instance/policy-snapshot.ts";
import { CONSOLE_SCRIPT, CONSOLE_STYLESHEET } from "./console-assets.ts";
import { STYLESHEET } from "./stylesheet.ts";
import { WelcomePage } from "./views/welcome-page.tsx";

const http = createFactory<InstanceEnv>();

/** GET /assets/gatehouse.css */
export const stylesheetEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=3600");
  return c.body(STYLESHEET, 200, { "Content-Type": "text/css; charset=utf-8" });
});

/** GET /assets/console.css */
export const consoleStylesheetEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=3600");
  return c.body(CONSOLE_STYLESHEET, 200, { "Content-Type": "text/css; charset=utf-8" });
});

/** GET /assets/console.js */
export const consoleScriptEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=3600");
  return c.body(CONSOLE_SCRIPT, 200, { "Content-Type": "text/javascript; charset=utf-8" });
});

/** GET /: what answers at this address. */
export const welcomeEndpoint = http.createHandlers((c) => {
  const { issuer, policy } = c.var.instance;
  return c.html(
    <WelcomePage
      service={c.env.SERVICE_NAME}
      brand={brandOf(policy)}
      issuer={issuer}
      oauthEnabled={policy.settings.oauthEnabled}
    />,
  );
});
