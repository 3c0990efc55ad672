import type { ListedClient } from "#clients/client-directory.ts";
import { ActLink, Badge, ConsoleLayout, type ConsoleFrame, DataTable, Moment } from "#pages/views/console-layout.tsx";
import { ListPages } from "#pages/views/list-pages.tsx";

/** A client as pages show it. */
export interface ClientShown extends ListedClient {
  readonly isConfidential: boolean;
  /** Its scopes, in words. */
  readonly abilities: string;
  readonly redirects: number;
}

export interface ClientsPageProps {
  readonly frame: ConsoleFrame;
  readonly done: string | undefined;
  readonly clients: readonly ClientShown[];
  /** Where the next page is. */
  readonly next: string | undefined;
  readonly isFirst: boolean;
}

/** The clients that administrators made. */
export function ClientsPage({ frame, done, clients, next, isFirst }: ClientsPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/clients"
      title="Clients"
      done={done}
      lead="Apps that administrators created. People see them as approved. Apps that registered themselves are under Registration."
    >
      <p class="toolbar">
        <ActLink frame={frame} class="button primary" href="/admin/clients/new">
          Create an app
        </ActLink>
      </p>
      <DataTable
        caption="Clients"
        headings={["Name", "Kind", "May", "Redirect URIs", "Last used", "State"]}
        rows={clients.map((client) => [
          <>
            <a href={`/admin/clients/${client.id}`}>
              <bdi>{client.name}</bdi>
            </a>
            <code class="quiet id">{client.id}</code>
          </>,
          client.isConfidential ? "Confidential" : "Public",
          client.abilities,
          client.redirects,
          <Moment at={client.lastUsedAt} />,
          client.isDisabled ? <Badge tone="off">Disabled</Badge> : <Badge tone="good">Enabled</Badge>,
        ])}
        empty={isFirst ? "There are none yet." : "There are no more."}
      />
      <ListPages first="/admin/clients" isFirst={isFirst} next={next} />
    </ConsoleLayout>
  );
}
