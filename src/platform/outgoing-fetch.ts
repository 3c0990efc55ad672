import { requireFewParts } from "#crypto/strict-json.ts";
import ipaddr from "ipaddr.js";
import { readBounded } from "./bounded-body.ts";
import { isLoopbackHost } from "./host-naming.ts";

/** A provider that takes longer than this is down, as far as the person who waits is concerned. */
const TIMEOUT_MILLISECONDS = 8000;

/** Limits on what a server may answer. All of it is in memory at once, in an isolate that serves others too. */
export interface AnswerLimits {
  readonly bytesMax: number;
  /** The most objects, arrays, members and elements of a JSON body, which is refused before anybody parses it. */
  readonly partsMax: number;
  /** The most requests at a time. Absent: any number. */
  readonly atOnceMax?: number;
}

/**
 * The limits for servers that administrators chose. Discovery documents and key sets are a few KB; token responses with many groups
 * some tens.
 */
const CHOSEN: AnswerLimits = { bytesMax: 512 * 1024, partsMax: 10_000 };

/**
 * The limits for servers that anybody may name, as an app that registers itself does. A key set with certificates of a few keys fits,
 * and all requests that are under way at a time fit into a few MB.
 */
export const STRANGERS: AnswerLimits = { bytesMax: 32 * 1024, partsMax: 1000, atOnceMax: 50 };

/** Too many other requests are under way. */
export class OutgoingRequestsTooMany extends Error {
  override readonly name = "OutgoingRequestsTooMany";
}

/** A `fetch` for URLs that administrators and other servers choose. */
export type OutgoingFetch = (url: string, init?: RequestInit, bytesMax?: number) => Promise<Response>;

/**
 * Limits what a chosen URL can do: https only, no literal private addresses, no redirects (they would bypass both checks), a
 * timeout and a size limit. Loopback addresses and http are allowed only in local development. A name that resolves to a private
 * address is harmless, because the platform's network has no private addresses.
 *
 * What comes back is limited too, here and not by its readers, so that no reader can forget to.
 *
 * @param redirects whether a redirect is an error, or returned to the caller; it is never followed
 */
export function createOutgoingFetch(
  localDevelopment: boolean,
  redirects: "refuse" | "give" = "refuse",
  { bytesMax: answerBytesMax, partsMax, atOnceMax }: AnswerLimits = CHOSEN,
): OutgoingFetch {
  const places = new Places(atOnceMax);
  return async (url, init = {}, bytesMax = answerBytesMax) => {
    requirePublic(new URL(url), localDevelopment);
    const leave = places.take();
    try {
      const response = await reach(url, {
        ...init,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
      });
      if (redirects === "refuse" && response.status >= 300 && response.status < 400) {
        throw new Error(`${new URL(url).host} answered with a redirect (${response.status})`);
      }
      const { status, headers } = response;
      const most = Math.min(bytesMax, answerBytesMax);
      const tooLarge = () => new Error(`an answer of more than ${most} bytes`);
      const body = await readBounded(response.body, most, tooLarge);
      requireSimple(body, partsMax);
      return new Response(status === 204 ? null : body, { status, headers });
    } finally {
      leave();
    }
  };
}

/** The requests that are under way. */
class Places {
  readonly #most: number;
  /** When each began. */
  readonly #taken = new Map<symbol, number>();

  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /**
   * Takes a place. A request that the platform cut off never gives its place back, so a place is free once its request would have
   * timed out.
   *
   * @returns gives the place back
   * @throws {OutgoingRequestsTooMany} if no place is free
   */
  take(): () => void {
    const now = Date.now();
    for (const [place, since] of this.#taken) if (now - since > TIMEOUT_MILLISECONDS) this.#taken.delete(place);
    if (this.#taken.size >= this.#most) throw new OutgoingRequestsTooMany("too many requests to servers are under way");
    const place = Symbol();
    this.#taken.set(place, now);
    return () => void this.#taken.delete(place);
  }
}

const utf8 = new TextDecoder();

/** Refuses JSON with too many parts, however its sender labels it. Nothing else can become more than its text. */
function requireSimple(body: Uint8Array, partsMax: number): void {
  const text = utf8.decode(body);
  if (!/^\s*[[{]/.test(text)) return;
  try {
    requireFewParts(text, partsMax);
  } catch (cause) {
    throw new Error("an answer with too many parts", { cause });
  }
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === "TimeoutError";
    const { host } = new URL(url);
    // The platform's own message says only "internal error".
    throw new Error(`${host} ${isLate ? "didn’t respond in time" : "can’t be reached"}`, { cause });
  }
}

function requirePublic(url: URL, localDevelopment: boolean): void {
  const host = url.hostname.replace(/\.$/, "");
  const isLoopback = isLoopbackHost(host);
  if (localDevelopment && isLoopback) return;
  if (url.protocol !== "https:") throw new Error(`${host} is not reached by https`);
  if (!isPublicHost(url)) throw new Error(`${host} is not a public address`);
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
