import { organisationOf } from "#instance/policy-snapshot.ts";
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
  return c.html(
    <WelcomePage
      service={c.env.SERVICE_NAME}
      organisation={organisationOf(policy)}
      issuer={issuer}
      oauthEnabled={policy.settings.oauthEnabled}
    />,
  );
});
