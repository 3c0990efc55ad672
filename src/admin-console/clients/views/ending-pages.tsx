import type { ListedClient } from "#clients/client-directory.ts";
import { AskingPage, CutOff } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import type { Child } from "hono/jsx";

export interface EndingPageProps {
  readonly frame: ConsoleFrame;
  readonly client: Pick<ListedClient, "id" | "name" | "lastUsedAt">;
  /** Whom it cuts off. */
  readonly reach: { readonly people: number; readonly grants: number };
}

/** Asks before a client's secret is replaced. */
export function RotateSecretPage({ frame, client, reach }: EndingPageProps) {
  return (
    <Asking frame={frame} client={client} act="rotate-secret" title="Replace the secret?" button="Replace the secret">
      <li>The old secret is wrong at once. Until the app has the new one, it can sign nobody in and renew nothing.</li>
      <li>
        What people allowed stays: {counted(reach.grants, "grant")} of {counted(reach.people, "person", "people")} go on
        with the new secret.
      </li>
      <li>The new secret is shown once, on the next page.</li>
    </Asking>
  );
}

/** Asks before a client is disabled. */
export function DisableClientPage({ frame, client, reach }: EndingPageProps) {
  return (
    <Asking frame={frame} client={client} act="disable" title="Disable this app?" button="Disable the app">
      <CutOff reach={reach} />
      <li>Nobody can sign in with it any more.</li>
      <li>
        It stays in the list. When you enable it again, what people allowed it works again, unless it has ended
        meanwhile.
      </li>
    </Asking>
  );
}

/** Asks before a client is deleted. */
export function DeleteClientPage({ frame, client, reach }: EndingPageProps) {
  return (
    <Asking frame={frame} client={client} act="delete" title="Delete this app?" button="Delete the app">
      <CutOff reach={reach} />
      <li>It is gone from the list, and its client id never works again. The audit log keeps what was done with it.</li>
    </Asking>
  );
}

function Asking(props: {
  readonly frame: ConsoleFrame;
  readonly client: EndingPageProps["client"];
  readonly act: string;
  readonly title: string;
  readonly button: string;
  readonly children?: Child;
}) {
  const { frame, client, act, title, button } = props;
  const path = `/admin/clients/${client.id}`;
  const lead = (
    <>
      The app <bdi>{client.name}</bdi>.
    </>
  );
  return (
    <AskingPage {...{ frame, title, lead, button }} section="/admin/clients" action={`${path}/${act}`} back={path}>
      <ul>{props.children}</ul>
    </AskingPage>
  );
}
