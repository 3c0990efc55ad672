import ipaddr from "ipaddr.js";
import { readBounded } from "./bounded-body.ts";
import { isLoopbackHost } from "./host-naming.ts";

/** A provider that takes longer than this is down, as far as the person who waits is concerned. */
const TIMEOUT_MILLISECONDS = 8000;

/** Discovery documents and key sets are a few KB; token responses with many groups some tens. */
const BODY_BYTES_MAX = 512 * 1024;

/** A request that must not leave this Worker, or a response that must not be read. */
class OutgoingRequestRefused extends Error {
  override readonly name = "OutgoingRequestRefused";
}

/** No response. The platform's own message says only "internal error", so it is the cause. */
class OutgoingRequestFailed extends Error {
  override readonly name = "OutgoingRequestFailed";
}

/** A `fetch` for URLs that administrators and other servers choose. */
export type OutgoingFetch = (url: string, init?: RequestInit, bytesMax?: number) => Promise<Response>;

/**
 * Limits what a chosen URL can do: https only, no literal private addresses, no redirects (they would bypass both checks), a
 * timeout and a size limit. Loopback addresses and http are allowed only in local development. A name that resolves to a private
 * address is harmless, because the platform's network has no private addresses.
 *
 * @param redirects whether a redirect is an error, or returned to the caller; it is never followed
 */
export function createOutgoingFetch(localDevelopment: boolean, redirects: "refuse" | "give" = "refuse"): OutgoingFetch {
  return async (url, init = {}, bytesMax = BODY_BYTES_MAX) => {
    requirePublic(new URL(url), localDevelopment);
    const response = await reach(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
    });
    if (redirects === "refuse" && response.status >= 300 && response.status < 400) {
      throw new OutgoingRequestRefused(`${new URL(url).host} answered with a redirect (${response.status})`);
    }
    const { status, headers } = response;
    const tooLarge = () => new OutgoingRequestRefused(`an answer of more than ${bytesMax} bytes`);
    const body = await readBounded(response.body, bytesMax, tooLarge);
    return new Response(status === 204 ? null : body, { status, headers });
  };
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    const { host } = new URL(url);
    throw new OutgoingRequestFailed(`${host} ${isLate ? "didn’t respond in time" : "can’t be reached"}`, { cause });
  }
}

function requirePublic(url: URL, localDevelopment: boolean): void {
  const host = url.hostname.replace(/\.$/, "");
  const isLoopback = isLoopbackHost(host);
  if (localDevelopment && isLoopback) return;
  if (url.protocol !== "https:") throw new OutgoingRequestRefused(`${host} is not reached by https`);
  if (!isPublicHost(url)) throw new OutgoingRequestRefused(`${host} is not a public address`);
}

/** Checks whether a URL's host is neither a literal private address nor a name that is reserved for private networks. */
export function isPublicHost({ hostname }: URL): boolean {
  const host = hostname.replace(/\.$/, "");
  const isReserved = isLoopbackHost(host) || /\.(internal|local|home\.arpa)$/.test(host);
  return !isReserved && !isInside(host) && !host.startsWith("[");
}

/**
 * Checks whether a host is an IPv4 address that is reachable only inside a network, or not at all. Such a URL is an attempt to get inside.
 */
function isInside(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host) && ipaddr.IPv4.parse(host).range() !== "unicast";
}
