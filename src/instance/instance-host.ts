import { BoundedMap } from "#platform/bounded-map.ts";
import { type HostNaming, instanceOfHost, isLoopbackHost } from "#platform/host-naming.ts";

/** Origins of instances that an isolate remembers. */
const ORIGINS_MAX = 1000;

/** What an origin is here: an instance's, or why none. */
export type FoundHost = { readonly name: string; readonly issuer: string } | "names_no_instance" | "plain_http";

/** The hosts of this deployment. What an origin is never changes while the Worker runs, so an instance's is taken apart once. */
export class InstanceHosts {
  readonly #naming: HostNaming;
  readonly #known = new BoundedMap<string, FoundHost>(ORIGINS_MAX);

  constructor(naming: HostNaming) {
    this.#naming = naming;
  }

  /** @param origin as it stands in a request's URL */
  find(origin: string): FoundHost {
    return this.#known.get(origin) ?? (URL.canParse(origin) ? this.#lookAt(new URL(origin)) : "names_no_instance");
  }

  /**
   * Remembers the origin of an instance that exists. Names that anybody can invent are parsed each time: remembered, they
   * would push out those of instances.
   */
  remember(origin: string, found: FoundHost): void {
    if (this.#known.get(origin) !== found) this.#known.set(origin, found);
  }

  /** Plain http is answered on the machine itself alone: elsewhere it is already read by somebody else (RFC 9700 §2.6). */
  #lookAt({ hostname, origin: issuer, protocol }: URL): FoundHost {
    const name = instanceOfHost(hostname, this.#naming);
    if (name === undefined) return "names_no_instance";
    const isProtected = protocol === "https:" || (this.#naming.localDevelopment && isLoopbackHost(hostname));
    return isProtected ? { name, issuer } : "plain_http";
  }
}
