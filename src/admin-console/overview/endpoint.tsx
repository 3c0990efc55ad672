import { render } from "#admin-console/page-endpoint.ts";
import { pages } from "#admin-console/http.ts";
import { isRotationOverdue } from "#authorization-server/signing-keys/signing-keys.ts";
import { readListQuery } from "#platform/listing.ts";
import { CLIENT_LIST } from "#clients/client-list.ts";
import { stepAt } from "#connection-attempts/step-middleware.ts";
import { systemClock } from "#platform/clock.ts";
import { readQuery } from "#platform/http.ts";
import { TOKEN_LIST } from "#service-tokens/token-list.ts";
import { expiringSoon, hasRisen } from "./decisions.ts";
import { OverviewPage } from "./views/overview-page.tsx";

/** Ranges of the charts, in days. */
const RANGES = [7, 30];

/** The most tokens that are read; those that expire first come first. */
const TOKENS_READ = "500";

/** GET /admin */
export const overviewPage = pages.createHandlers(async (c) => {
  const { instance, services } = c.var;
  const { instanceId, settings, singleSignOns } = instance.policy;
  const [range = ""] = readQuery(c).all("days");
  const days = RANGES.find((one) => String(one) === range) ?? 30;
  const waiting = readListQuery(
    CLIENT_LIST,
    new Map([
      ["state", "waiting"],
      ["limit", "1"],
    ]),
  );
  const running = readListQuery(
    TOKEN_LIST,
    new Map([
      ["state", "running"],
      ["sort", "expiresAt"],
      ["limit", TOKENS_READ],
    ]),
  );
  const now = systemClock();
  const [reach, usage, apps, tokens, keys, stats] = await Promise.all([
    services.grants.reach(instance.policy),
    services.usage.overview(instanceId),
    services.clientDirectory.list(instanceId, waiting),
    services.issuedTokens.list(instanceId, running, now),
    services.signingKeys.list(instanceId),
    // The doctor tells if the documents don't answer; this page shows the rest.
    services.documents.stats(instanceId).catch(() => undefined),
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
      decisions={{
        appsWaiting: apps.total,
        tokensExpiring: expiringSoon(tokens.items, now),
        held: stats?.held ?? [],
        isKeyOverdue: isRotationOverdue(keys, now),
        haveRefusalsRisen: hasRisen(usage.days.map(({ refusals }) => refusals)),
      }}
    />,
  );
});
