import type { ListedClient } from "#clients/client-directory.ts";
import { AskingPage, CutOff } from "#pages/views/asking-page.tsx";
import type { ConsoleFrame } from "#pages/views/console-layout.tsx";
import { counted } from "#pages/views/count.ts";
import type { Child } from "hono/jsx";

export interface EndingPageProps {
  readonly frame: ConsoleFrame;
  readonly client: Pick<ListedClient, "id" | "name" | "lastUsedAt">;
  /** The people and grants that lose access. */
  readonly reach: { readonly people: number; readonly grants: number };
}

/** Asks before a client's secret is replaced. */
export function RotateSecretPage({ frame, client, reach }: EndingPageProps) {
  return (
    <Asking frame={frame} client={client} act="rotate-secret" title="Replace the secret?" button="Replace the secret">
      <li>
        The old secret stops working at once. Until the app has the new one, it can’t sign people in or renew tokens.
      </li>
      <li>
        Grants are kept: {counted(reach.grants, "grant")} of {counted(reach.people, "person", "people")} will work with
        the new secret.
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
      <li>People can no longer sign in with it.</li>
      <li>It stays in the list. If you enable it again, its grants work again.</li>
    </Asking>
  );
}

/** Asks before a client is deleted. */
export function DeleteClientPage({ frame, client, reach }: EndingPageProps) {
  return (
    <Asking frame={frame} client={client} act="delete" title="Delete this app?" button="Delete the app">
      <CutOff reach={reach} />
      <li>It is removed from the list, and its client id never works again. The audit log keeps its history.</li>
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
