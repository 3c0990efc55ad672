import type { Client } from "#clients/client.ts";
import { Facts, SecretOnce } from "#pages/views/console-layout.tsx";
import { known, t } from "#pages/views/console-frame.ts";
import { SecretLayout } from "#pages/views/secret-layout.tsx";

export interface SecretPageProps {
  readonly client: Pick<Client, "id" | "name">;
  readonly secret: string;
  readonly title: string;
}

/** The only page that shows a confidential client's secret. */
export function SecretPage({ client, secret, title }: SecretPageProps) {
  return (
    <SecretLayout
      title={known(title)}
      lead={t`Enter both of these in the app’s settings on its server.`}
      name={client.name}
      next={`/admin/clients/app?id=${client.id}`}
    >
      <Facts facts={[[t`Client id`, <code class="id">{client.id}</code>]]} />
      <SecretOnce label={t`Client secret`} secret={secret} />
    </SecretLayout>
  );
}
