import { scopesInWords } from "#admin-console/scope-options.ts";
import type { ListedClient } from "#clients/client-directory.ts";
import { knownHostOf } from "#clients/hosts.ts";
import { destinationOf, isLoopback } from "#protocol/redirect-uri.ts";

export interface AppShown extends ListedClient {
  readonly path: string;
  /** Where people's browsers return to. This is the only thing about the app that is verified. */
  readonly destinations: string;
  readonly abilities: string;
  /** The name of the known host that it is verified to be, if any. */
  readonly knownHost: string | undefined;
  /** Whether it only returns to people's own computers. */
  readonly isLocal: boolean;
}

/** Returns the address of an app's page, or of a question about it. The id is in the query, because that of some apps is a URL. */
export function appHref(page: "app" | "deny" | "disable" | "delete" | "rotate-secret", id: string): string {
  return `/admin/clients/${page}?${new URLSearchParams({ id }).toString()}`;
}

export function toShown(client: ListedClient): AppShown {
  return {
    ...client,
    path: appHref("app", client.id),
    destinations: [...new Set(client.redirectUris.map(destinationOf))].join(", "),
    abilities: scopesInWords(client.scopes),
    knownHost: knownHostOf(client)?.name,
    isLocal: client.redirectUris.every(isLoopback),
  };
}
