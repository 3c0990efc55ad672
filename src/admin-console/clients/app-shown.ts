import { scopesInWords } from "#admin-console/scope-options.ts";
import type { ListedClient } from "#clients/client-directory.ts";
import { knownHostOf } from "#clients/hosts.ts";
import { destinationOf, isLoopback } from "#protocol/redirect-uri.ts";

/** An app as pages show it. */
export interface AppShown extends ListedClient {
  /**
   * The address of its page. If it wasn't created here, the id is in the query, because a metadata document's id is a URL.
   */
  readonly path: string;
  /** Where people's browsers return to. This is the only thing about the app that is verified. */
  readonly destinations: string;
  readonly abilities: string;
  /** The name of the known host that it is verified to be, if any. */
  readonly knownHost: string | undefined;
  /** Whether it only returns to people's own computers. */
  readonly isLocal: boolean;
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
    isLocal: client.redirectUris.every(isLoopback),
  };
}
