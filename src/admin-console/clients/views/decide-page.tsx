import type { AppShown } from "#admin-console/registration/app-shown.ts";
import { AskingPage, CutOff } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import { HiddenFields } from "#pages/views/form.tsx";

export interface DecidePageProps {
  readonly frame: ConsoleFrame;
  readonly decision: "disable" | "delete";
  readonly apps: readonly AppShown[];
  /** What was posted, to be sent again. */
  readonly chosen: readonly string[];
  /** Whom it cuts off, by app. */
  readonly reach: readonly { readonly people: number; readonly grants: number }[];
}

/** Asks before several apps are disabled or deleted. */
export function DecidePage({ frame, decision, apps, chosen, reach }: DecidePageProps) {
  const what = `${decision} ${counted(apps.length, "app")}`;
  return (
    <AskingPage
      frame={frame}
      section="/admin/clients"
      title={`${what.charAt(0).toUpperCase()}${what.slice(1)}?`}
      action="/admin/registration/decide"
      button={`Yes, ${what}`}
      sends={{ name: "confirmed", value: "yes" }}
      back="/admin/clients"
    >
      <HiddenFields values={{ decision, app: chosen }} />
      {apps.map((app, at) => (
        <div>
          <strong>
            <bdi>{app.name}</bdi>
          </strong>
          <ul>
            <CutOff reach={reach[at] ?? { people: 0, grants: 0 }} />
          </ul>
        </div>
      ))}
      <p class="hint">
        {decision === "disable"
          ? "They stay in the list. You can enable them again, with the grants that have not ended meanwhile."
          : "You can’t undo this. Apps that registered themselves can register again."}
      </p>
    </AskingPage>
  );
}
