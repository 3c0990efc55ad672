import { BoundedMap } from "#platform/bounded-map.ts";
import { type HostNaming, instanceOfHost, isLoopbackHost } from "#platform/host-naming.ts";

/** Origins that an isolate remembers; those that name no instance too. */
const ORIGINS_MAX = 1000;

/** What an origin is here: an instance's, or why none. */
export type FoundHost = { readonly name: string; readonly issuer: string } | "names_no_instance" | "plain_http";

/** The hosts of this deployment. What an origin is never changes while the Worker runs, so each is taken apart once. */
export class InstanceHosts {
  readonly #naming: HostNaming;
  readonly #found = new BoundedMap<string, FoundHost>(ORIGINS_MAX);

  constructor(naming: HostNaming) {
    this.#naming = naming;
  }

  /** @param origin as it stands in a request's URL */
  find(origin: string): FoundHost {
    const known = this.#found.get(origin);
    if (known !== undefined) return known;
    const found = this.#lookAt(new URL(origin));
    this.#found.set(origin, found);
    return found;
  }

  /** Plain http is answered on the machine itself alone: elsewhere it is already read by somebody else (RFC 9700 §2.6). */
  #lookAt({ hostname, origin: issuer, protocol }: URL): FoundHost {
    const name = instanceOfHost(hostname, this.#naming);
    if (name === undefined) return "names_no_instance";
    const isProtected = protocol === "https:" || (this.#naming.localDevelopment && isLoopbackHost(hostname));
    return isProtected ? { name, issuer } : "plain_http";
  }
}
