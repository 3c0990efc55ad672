/** How hosts name instances in this deployment. */
export interface HostNaming {
  /** `INSTANCE_HOST`, with `{instance}` in its first label. */
  readonly pattern: string;
  /** Whether `{instance}.localhost` and the bare loopback names are answered too. */
  readonly localDevelopment: boolean;
}

/** The instance behind `localhost`, `127.0.0.1` and `[::1]` in local development, where the host can't contain a name. */
const LOCAL_INSTANCE = "acme";

const INSTANCE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether a name can stand in a host: a DNS label in lower case (RFC 1035 §2.3.1). */
export function isInstanceName(name: string): boolean {
  return INSTANCE_NAME.test(name);
}

/**
 * The instance that a host names; `undefined` for every other host.
 *
 * The host is the one that the platform routed by. Headers such as `X-Forwarded-Host` are never looked at: an issuer that a
 * header could choose would let an attacker mint metadata in our name.
 *
 * @param hostname in lower case, without port, as `URL` gives it
 */
export function instanceOfHost(hostname: string, naming: HostNaming): string | undefined {
  if (naming.localDevelopment) {
    if (hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]") return LOCAL_INSTANCE;
    const local = /^([^.]+)\.localhost$/.exec(hostname)?.[1];
    if (local !== undefined) return isInstanceName(local) ? local : undefined;
  }
  const [before, after] = naming.pattern.toLowerCase().split("{instance}");
  if (before === undefined || after === undefined) return undefined;
  if (hostname.length <= before.length + after.length) return undefined;
  if (!hostname.startsWith(before) || !hostname.endsWith(after)) return undefined;
  const name = hostname.slice(before.length, hostname.length - after.length);
  return isInstanceName(name) ? name : undefined;
}

/** Whether an issuer is that of an instance of this deployment. */
export function isInstanceIssuer(issuer: unknown, naming: HostNaming): boolean {
  if (typeof issuer !== "string" || !URL.canParse(issuer)) return false;
  const { origin, hostname } = new URL(issuer);
  return origin === issuer && instanceOfHost(hostname, naming) !== undefined;
}

/** Whether a host is the machine itself, the only place where plain http is answered (RFC 9700 §2.6). */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "127.0.0.1" || hostname === "[::1]"
  );
}
