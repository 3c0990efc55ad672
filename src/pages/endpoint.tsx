import type { InstanceEnv } from "#instance/middleware.ts";
import { createFactory } from "hono/factory";
import { MCP_PATH } from "#protocol/resource-indicator.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { WelcomePage } from "./views/welcome-page.tsx";

const http = createFactory<InstanceEnv>();

/** GET /: what answers at this address. */
export const welcomeEndpoint = http.createHandlers((c) => {
  const { issuer, policy } = c.var.instance;
  return c.html(
    <WelcomePage
      service={c.env.SERVICE_NAME}
      brand={brandOf(policy)}
      mcpUrl={issuer + MCP_PATH}
      oauthEnabled={policy.settings.oauthEnabled}
    />,
  );
});
