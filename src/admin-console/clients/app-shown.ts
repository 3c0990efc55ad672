import { scopesInWords } from "#admin-console/scope-options.ts";
import type { ListedClient } from "#clients/client-directory.ts";
import { knownHostOf } from "#clients/hosts.ts";
import { destinationOf } from "#protocol/redirect-uri.ts";

/** An app as pages show it. */
export interface AppShown extends ListedClient {
  /** Its own page. The id is in the query, because a document's id is a URL. */
  readonly path: string;
  /** Where people's browsers go; the one thing about it that is proved. */
  readonly destinations: string;
  readonly abilities: string;
  /** The host that it really is, where it is a known one. */
  readonly knownHost: string | undefined;
}

export function toShown(client: ListedClient): AppShown {
  return {
    ...client,
    path:
      client.kind === "static"
        ? `/admin/clients/${client.id}`
        : `/admin/clients/app?${new URLSearchParams({ id: client.id }).toString()}`,
    destinations: [...new Set(client.redirectUris.map(destinationOf))].join(", "),
    abilities: scopesInWords(client.scopes),
    knownHost: knownHostOf(client)?.name,
  };
}
