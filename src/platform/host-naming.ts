/** The rules for instances' host names in this deployment. */
export interface HostNaming {
  /** `INSTANCE_HOST`, with `{instance}` in its first label. */
  readonly pattern: string;
  /** Whether `{instance}.localhost` and the plain loopback names are served too. */
  readonly localDevelopment: boolean;
}

/**
 * The instance that `localhost`, `127.0.0.1` and `[::1]` mean in local development, because these hosts can't contain a name.
 */
const LOCAL_INSTANCE = "acme";

const INSTANCE_NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Checks whether a text can be `INSTANCE_HOST`: a host name with dots that has `{instance}` once, in its first label. */
export function isHostPattern(pattern: string): boolean {
  const [before, after, ...more] = pattern.toLowerCase().split("{instance}");
  if (before === undefined || after === undefined || more.length > 0) return false;
  const labels = `${before}a${after}`.split(".");
  return !before.includes(".") && labels.length > 1 && labels.every(isInstanceName);
}

/** Checks whether a name can be part of a host: a DNS label in lower case (RFC 1035 §2.3.1). */
export function isInstanceName(name: string): boolean {
  return INSTANCE_NAME.test(name);
}

/**
 * Returns the name of the instance that a host belongs to; `undefined` for every other host.
 *
 * The host is the one by which the platform routed the request. Headers such as `X-Forwarded-Host` are never used: if a header
 * could choose the issuer, an attacker could publish metadata in our name.
 *
 * @param hostname in lower case, without port, as `URL` returns it
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

/** Checks whether an issuer is an instance of this deployment. */
export function isInstanceIssuer(issuer: unknown, naming: HostNaming): boolean {
  if (typeof issuer !== "string" || !URL.canParse(issuer)) return false;
  const { origin, hostname } = new URL(issuer);
  return origin === issuer && instanceOfHost(hostname, naming) !== undefined;
}

/** Checks whether a host is the machine itself, the only place that is served over plain http (RFC 9700 §2.6). */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "127.0.0.1" || hostname === "[::1]"
  );
}
