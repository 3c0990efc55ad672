import { BoundedMap } from "#platform/bounded-map.ts";
import { type HostNaming, instanceOfHost, isLoopbackHost } from "#platform/host-naming.ts";

/** Maximum origins of instances that an isolate remembers. */
const ORIGINS_MAX = 1000;

/** The instance of an origin, or why it has none. */
export type FoundHost = { readonly name: string; readonly issuer: string } | "names_no_instance" | "plain_http";

/**
 * The hosts of this deployment. The meaning of an origin never changes while the Worker runs, so an instance's origin is parsed once.
 */
export class InstanceHosts {
  readonly #naming: HostNaming;
  readonly #known = new BoundedMap<string, FoundHost>(ORIGINS_MAX);

  constructor(naming: HostNaming) {
    this.#naming = naming;
  }

  /** Finds the instance of an origin. @param origin as in a request's URL */
  find(origin: string): FoundHost {
    return this.#known.get(origin) ?? (URL.canParse(origin) ? this.#lookAt(new URL(origin)) : "names_no_instance");
  }

  /**
   * Remembers the origin of an instance that exists. Other names are parsed each time, because anybody can invent them, and they
   * would push out those of instances.
   */
  remember(origin: string, found: FoundHost): void {
    if (this.#known.get(origin) !== found) this.#known.set(origin, found);
  }

  /**
   * Parses an origin. Plain http is served only on the machine itself: elsewhere, somebody else may already have read the request
   * (RFC 9700 §2.6).
   */
  #lookAt({ hostname, origin: issuer, protocol }: URL): FoundHost {
    const name = instanceOfHost(hostname, this.#naming);
    if (name === undefined) return "names_no_instance";
    const isProtected = protocol === "https:" || (this.#naming.localDevelopment && isLoopbackHost(hostname));
    return isProtected ? { name, issuer } : "plain_http";
  }
}
