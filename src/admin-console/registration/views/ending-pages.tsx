import type { AppShown } from "#admin-console/registration/app-shown.ts";
import { AskingPage, CutOff } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import type { Child } from "hono/jsx";

export interface EndingPageProps {
  readonly frame: ConsoleFrame;
  readonly app: AppShown;
  /** Whom it cuts off. */
  readonly reach: { readonly people: number; readonly grants: number };
}

/** Asks before an app is blocked, or refused. */
export function BlockAppPage({ frame, app, reach }: EndingPageProps) {
  return (
    <Asking
      frame={frame}
      app={app}
      act="block"
      title={app.isPending ? "Refuse this app?" : "Block this app?"}
      button={app.isPending ? "Refuse for good" : "Block for good"}
    >
      <CutOff reach={reach} />
      <li>It stays in the list, blocked for good: there is no way to unblock it.</li>
      <li>
        {app.kind === "document"
          ? "Its address is blocked with it: it cannot come again."
          : "It may register again as a new app, which the rules of registration decide about."}
      </li>
      <li>
        To forget it instead, <a href={app.path.replace("/app?", "/delete?")}>delete it</a>.
      </li>
    </Asking>
  );
}

/** Asks before an app is deleted. */
export function DeleteAppPage({ frame, app, reach }: EndingPageProps) {
  return (
    <Asking frame={frame} app={app} act="delete" title="Delete this app?" button="Delete the app">
      <CutOff reach={reach} />
      <li>It is gone from the list. The audit log keeps what was done with it.</li>
      <li>
        {app.kind === "document"
          ? "Nothing keeps it away: the next person who tries it brings it back. Block it to keep it away."
          : "It may register again as a new app."}
      </li>
    </Asking>
  );
}

function Asking(props: {
  readonly frame: ConsoleFrame;
  readonly app: AppShown;
  readonly act: "block" | "delete";
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
      section="/admin/registration"
      action={`/admin/registration/${props.act}`}
      sends={{ name: "id", value: app.id }}
      back={app.path}
    >
      <ul>{props.children}</ul>
    </AskingPage>
  );
}
