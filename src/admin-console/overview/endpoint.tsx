import { render } from "#admin-console/page-endpoint.tsx";
import type { ConsoleContext } from "#admin-console/http.ts";
import { stepAt } from "#connection-attempts/step-middleware.ts";
import { epochSeconds } from "#platform/clock.ts";
import { readQuery } from "#platform/http.ts";
import { readDecisions } from "#doctor/decisions.ts";
import { OverviewPage } from "./views/overview-page.tsx";

/** Ranges of the charts, in days. */
const RANGES = [7, 30];

export async function overviewPage(c: ConsoleContext): Promise<Response> {
  const { instance, services } = c.var;
  const { instanceId, settings, singleSignOns } = instance.policy;
  const [range = ""] = readQuery(c).all("days");
  const days = RANGES.find((one) => String(one) === range) ?? 30;
  const [reach, { decisions, usage, stats }] = await Promise.all([
    services.grants.reach(instance.policy),
    readDecisions(services, instanceId, epochSeconds()),
  ]);
  return render(
    c,
    <OverviewPage
      issuer={instance.issuer}
      isEnabled={settings.oauthEnabled}
      isSignInConnected={singleSignOns.length > 0}
      registration={settings.registration}
      reach={reach}
      usage={{
        ...usage,
        failures: usage.failures.map((failure) => ({ ...failure, isStep: stepAt(failure.path) !== undefined })),
      }}
      hasDocuments={stats === undefined || stats.datasources.some(({ documents }) => documents > 0)}
      days={days}
      ranges={RANGES}
      decisions={decisions}
    />,
  );
}
