import type { InstanceEnv } from "#instance/middleware.ts";
import { ENGLISH_LOCALE } from "#messages/locale.ts";
import { createFactory } from "#platform/handlers.ts";
import { API_DESCRIPTION_PATH, ENDPOINTS } from "#protocol/endpoints.ts";
import { MCP_PATH, RESOURCE_METADATA_PATH } from "#protocol/resource-indicator.ts";
import { brandOf } from "#instance/policy-snapshot.ts";
import { WelcomePage } from "./views/welcome-page.tsx";

const http = createFactory<InstanceEnv>();

const DOCUMENTS = [
  ["/reference", "API reference"],
  [API_DESCRIPTION_PATH, "API description (OpenAPI)"],
  [ENDPOINTS.metadata, "Authorization server metadata"],
  [RESOURCE_METADATA_PATH, "Resource metadata"],
] as const;

/** GET /: says what this service is, and where apps and people start. */
export const welcomeEndpoint = http.createHandlers((c) => {
  const { issuer, policy } = c.var.instance;
  return c.html(
    <WelcomePage
      brand={brandOf(policy)}
      locale={c.var.locale ?? ENGLISH_LOCALE}
      mcpUrl={issuer + MCP_PATH}
      documents={DOCUMENTS}
      oauthEnabled={policy.settings.oauthEnabled}
    />,
  );
});
