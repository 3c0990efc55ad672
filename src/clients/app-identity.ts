import { sha256 } from "#crypto/secrets.ts";
import { destinationOf, isLoopback, withoutLoopbackPort } from "#protocol/redirect-uri.ts";
import type { ClientDescription } from "./client.ts";
import { knownHostOf } from "./hosts.ts";

/** Which app a client is an install of, and what of it an approval covers, apart from its scopes. */
export interface AppIdentity {
  readonly app: string;
  readonly variant: string | null;
}

/** What a client registers. */
interface Registered
  extends Pick<
    ClientDescription,
    "redirectUris" | "tokenEndpointAuthMethod" | "clientUri" | "policyUri" | "tosUri" | "declaredRequirements"
  > {
  /** Its name, exactly as it sent it. */
  readonly sentName: string;
}

/**
 * Returns the identity of a client that registered itself. Two are installs of one app only if they have the same name and lead to the
 * same known host, or to exactly the same hosts. Names are compared as they were sent, and hosts as they are: nothing is folded, so
 * nothing that only looks alike is equal. On people's own computers, any program can use any address, so there the name alone is
 * compared.
 *
 * An approval of an app covers its pages and how it authenticates. At a known host, it covers all of its addresses; elsewhere, only
 * the addresses that were approved, because several makers can have addresses at one host.
 */
export async function identityOf({ sentName, redirectUris, ...described }: Registered): Promise<AppIdentity> {
  const host = knownHostOf({ id: "", kind: "dynamic", redirectUris });
  const destinations = new Set(redirectUris.map((uri) => (isLoopback(uri) ? "loopback" : addressOf(uri))));
  const isLocal = destinations.size === 1 && destinations.has("loopback");
  const bound = isLocal ? [] : redirectUris.filter((uri) => host === undefined || isLoopback(uri));
  const addresses = new Set(bound.map((uri) => withoutLoopbackPort(uri) ?? uri));
  const { tokenEndpointAuthMethod, clientUri, policyUri, tosUri, declaredRequirements } = described;
  const variant = [[...addresses].sort(), tokenEndpointAuthMethod, clientUri, policyUri, tosUri, declaredRequirements];
  return {
    app: await sha256(JSON.stringify([sentName, host === undefined ? [...destinations].sort() : host.id])),
    variant: await sha256(JSON.stringify(variant)),
  };
}

/** Returns the host, or the private-use scheme, so that one never counts as the other. */
function addressOf(uri: string): string {
  return `${uri.slice(0, uri.indexOf(":"))}:${destinationOf(uri)}`;
}
