import { pages } from "#admin-console/http.ts";
import { OverviewPage } from "./views/overview-page.tsx";

/** GET /admin */
export const overviewPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const { instanceId, settings, singleSignOn } = instance.policy;
  const [reach, usage] = await Promise.all([
    services.grants.reach(instance.policy),
    services.usage.overview(instanceId),
  ]);
  return c.html(
    <OverviewPage
      frame={c.var.console}
      issuer={instance.issuer}
      isEnabled={settings.oauthEnabled}
      isSignInConnected={singleSignOn !== null}
      registration={settings.registration}
      reach={reach}
      usage={usage}
    />,
  );
});
