import type { AppShown } from "#admin-console/clients/app-shown.ts";
import { AskingPage, CutOff } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import type { Child } from "hono/jsx";
import type { AppPageProps } from "./registered-page.tsx";

/** Asks before an app is disabled, or, if it waits for approval, denied. */
export function DisableAppPage({ frame, app, reach }: Pick<AppPageProps, "frame" | "app" | "reach">) {
  return (
    <Asking
      frame={frame}
      app={app}
      act="disable"
      title={app.isPending ? "Deny this app?" : "Disable this app?"}
      button={app.isPending ? "Deny the app" : "Disable the app"}
    >
      <CutOff reach={reach} />
      <li>It stays in the list. You can enable it again.</li>
      <li>
        {app.kind === "document"
          ? "Its address is refused too, so it can’t come back."
          : "It can register again as a new app, if the registration rules allow it."}
      </li>
      <li>
        To remove it from the list instead, <a href={app.path.replace("/app?", "/delete?")}>delete it</a>.
      </li>
    </Asking>
  );
}

/** Asks before an app is deleted. */
export function DeleteAppPage({ frame, app, reach }: Pick<AppPageProps, "frame" | "app" | "reach">) {
  return (
    <Asking frame={frame} app={app} act="delete" title="Delete this app?" button="Delete the app">
      <CutOff reach={reach} />
      <li>It is removed from the list. The audit log keeps its history.</li>
      <li>
        {app.kind === "document"
          ? "It comes back when somebody uses it again. To prevent this, disable it."
          : "It can register again as a new app."}
      </li>
    </Asking>
  );
}

function Asking(props: {
  readonly frame: ConsoleFrame;
  readonly app: AppShown;
  readonly act: "disable" | "delete";
  readonly title: string;
  readonly button: string;
  readonly children?: Child;
}) {
  const { app, frame, title, button } = props;
  const lead = (
    <>
      <bdi>{app.name}</bdi>, which returns to <bdi>{app.destinations}</bdi>.
    </>
  );
  return (
    <AskingPage
      {...{ frame, title, lead, button }}
      section="/admin/clients"
      action={`/admin/clients/${props.act}`}
      fields={{ id: app.id }}
      back={app.path}
    >
      <ul>{props.children}</ul>
    </AskingPage>
  );
}
