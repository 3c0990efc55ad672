import { http } from "#platform/http.ts";
import { STYLESHEET } from "./stylesheet.ts";
import { WelcomePage } from "./views/welcome-page.tsx";

/** GET /assets/gatehouse.css */
export const stylesheetEndpoint = http.createHandlers((c) => {
  c.header("Cache-Control", "public, max-age=3600");
  return c.body(STYLESHEET, 200, { "Content-Type": "text/css; charset=utf-8" });
});

/** GET /: what answers at this address. */
export const welcomeEndpoint = http.createHandlers((c) => {
  const { issuer, policy } = c.var.instance;
  const { displayName, oauthEnabled } = policy.settings;
  return c.html(
    <WelcomePage
      service={c.env.SERVICE_NAME}
      organisation={displayName ?? policy.name}
      issuer={issuer}
      oauthEnabled={oauthEnabled}
    />,
  );
});
