import type { Client } from "#clients/client.ts";
import { ConsoleLayout, type ConsoleFrame, Facts, SecretOnce } from "#pages/views/console-layout.tsx";

export interface SecretPageProps {
  readonly frame: ConsoleFrame;
  readonly client: Pick<Client, "id" | "name">;
  readonly secret: string;
  readonly title: string;
}

/** The one page that shows a confidential client's secret. */
export function SecretPage({ frame, client, secret, title }: SecretPageProps) {
  return (
    <ConsoleLayout
      frame={frame}
      section="/admin/clients"
      title={title}
      lead="Enter both of these in the app’s settings on its server."
    >
      <section class="panel">
        <h2>
          <bdi>{client.name}</bdi>
        </h2>
        <Facts facts={[["Client id", <code class="id">{client.id}</code>]]} />
        <SecretOnce label="Client secret" secret={secret} />
      </section>
      <p class="toolbar">
        <a class="button" href={`/admin/clients/${client.id}`}>
          I’ve saved it
        </a>
      </p>
    </ConsoleLayout>
  );
}
