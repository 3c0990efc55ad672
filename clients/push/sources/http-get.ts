import { lookup as resolveName } from "node:dns";
import { request as requestHttp, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import ipaddr from "ipaddr.js";
import { tooLarge } from "./folder.ts";

export const USER_AGENT = "gatehouse-push";

const MILLISECONDS_MAX = 30_000;

/** What pages unpack to in memory at once. */
const DECODERS = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  br: promisify(brotliDecompress),
  deflate: promisify(inflate),
};

export interface Page {
  readonly status: number;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Where the response points to, of a redirect. */
  readonly location: string | undefined;
  readonly retryAfterSeconds: number;
  /** Directives for robots, such as `noindex`. */
  readonly robots: string;
}

export interface GetOptions {
  readonly bytesMax: number;
  /** Whether addresses that only this network reaches can be asked. */
  readonly allowsPrivate: boolean;
}

/** Whether an address is one of this network or this machine, and not of the internet. */
export function isPrivateAddress(address: string): boolean {
  return ipaddr.process(address.replace(/^\[|\]$/g, "")).range() !== "unicast";
}

/** Whether a host's name stands for a private address now. */
export async function isPrivateHost(host: string): Promise<boolean> {
  const bare = host.replace(/^\[|\]$/g, "");
  if (isIP(bare) !== 0) return isPrivateAddress(bare);
  const found = await promisify(resolveName)(bare, { all: true });
  return found.some(({ address }) => isPrivateAddress(address));
}

/**
 * Gets a page, without following redirects. The address is checked where the connection is made: a name that stood for a public
 * address a moment ago could stand for one of this network now.
 */
export async function get(url: URL, { bytesMax, allowsPrivate }: GetOptions): Promise<Page> {
  if (!allowsPrivate && isIP(url.hostname.replace(/^\[|\]$/g, "")) !== 0 && isPrivateAddress(url.hostname)) {
    throw new Error("a private address");
  }
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, "", 0);
      const [first] = found;
      const isRefused = !allowsPrivate && found.some(({ address }) => isPrivateAddress(address));
      if (isRefused || !first) return callback(new Error("a private address"), "", 0);
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
  const headers = {
    "User-Agent": `${USER_AGENT}/1.0`,
    Accept: "text/html, application/xhtml+xml, */*;q=0.5",
    "Accept-Encoding": "gzip",
  };
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const signal = AbortSignal.timeout(MILLISECONDS_MAX);
  const response = await new Promise<IncomingMessage>((settle, reject) => {
    send(url, { lookup, headers, signal, agent: false }, settle).on("error", reject).end();
  });
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(length, bytesMax);
    chunks.push(chunk);
  }
  const {
    "content-encoding": encoding = "",
    "content-type": type = "",
    location,
    "retry-after": retryAfter,
  } = response.headers;
  const body = Buffer.concat(chunks);
  const decode = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding as keyof typeof DECODERS] : undefined;
  const bytes = decode && length > 0 ? await decode(body, { maxOutputLength: bytesMax }) : body;
  return {
    status: response.statusCode ?? 0,
    type: type.toLowerCase(),
    bytes: new Uint8Array(bytes),
    location,
    retryAfterSeconds: Number(retryAfter) || 0,
    robots: String(response.headers["x-robots-tag"] ?? ""),
  };
}
