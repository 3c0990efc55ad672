import { t } from "./console-frame.ts";
import { Badge } from "./console-layout.tsx";

/** The state of an app. */
export function AppState({
  app,
}: {
  readonly app: { readonly isDisabled: boolean; readonly isPending: boolean; readonly isApproved: boolean };
}) {
  if (app.isDisabled) return <Badge tone="off">{t`Disabled`}</Badge>;
  if (app.isPending) return <Badge tone="warn">{t`Waiting for approval`}</Badge>;
  return app.isApproved ? <Badge tone="good">{t`Approved`}</Badge> : <Badge tone="good">{t`Enabled`}</Badge>;
}
