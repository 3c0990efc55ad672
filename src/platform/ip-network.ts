/** A block of addresses (RFC 4632, RFC 4291 §2.3); a single address is a block of one. */
export interface IpNetwork {
  /** Of an address of this family. */
  readonly bits: 32 | 128;
  /** How many of them the block's addresses share. */
  readonly prefix: number;
  /** The first address, as a number. */
  readonly first: bigint;
}

/**
 * Reads CIDR or a single address. Bits beyond the prefix are taken as zero, and IPv4 that is mapped into IPv6 (RFC 4291 §2.5.5.2) as IPv4.
 *
 * @returns `undefined` for anything else, and for what readers understand differently: octal, hexadecimal and shortened IPv4, the
 *   deprecated `::192.0.2.1` (RFC 4291 §2.5.5.1), and zones, which name a machine's own interfaces
 */
export function parseIpNetwork(text: string): IpNetwork | undefined {
  const [written = "", length, ...rest] = text.split("/");
  const address = parseIpv4(written) ?? parseIpv6(written);
  if (!address || rest.length > 0) return undefined;
  if (length === undefined) return networkOf(address, address.bits);
  if (!/^(0|[1-9][0-9]{0,2})$/.test(length) || Number(length) > address.bits) return undefined;
  return networkOf(address, Number(length));
}

/** A single address. @returns `undefined` for anything else, as {@link parseIpNetwork} does */
export function parseIpAddress(text: string): IpNetwork | undefined {
  return text.includes("/") ? undefined : parseIpNetwork(text);
}

/** The network of this length around an address. */
export function networkOf({ bits, first }: Pick<IpNetwork, "bits" | "first">, prefix: number): IpNetwork {
  const host = BigInt(bits - prefix);
  const start = (first >> host) << host;
  const isMapped = bits === 128 && prefix >= 96 && start >> 32n === 0xffffn;
  return isMapped ? { bits: 32, prefix: prefix - 96, first: start & 0xffffffffn } : { bits, prefix, first: start };
}

/** Whether every address of one network is in another. */
export function isWithinNetwork(inner: IpNetwork, outer: IpNetwork): boolean {
  if (inner.bits !== outer.bits || inner.prefix < outer.prefix) return false;
  const host = BigInt(outer.bits - outer.prefix);
  return inner.first >> host === outer.first >> host;
}

/** The first address in its one spelling (RFC 5952 §4), without the length. */
export function addressText({ bits, first }: IpNetwork): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((first >> shift) & 0xffn)).join(".");
  const groups = Array.from({ length: 8 }, (_, at) => ((first >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  return canonicalIpv6(groups.join(":")) ?? "";
}

type Address = Pick<IpNetwork, "bits" | "first">;

function parseIpv4(text: string): Address | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const bytes = text.split(".").map(Number);
  return bytes.some((byte) => byte > 255) ? undefined : { bits: 32, first: numberOf(bytes, 8n) };
}

function parseIpv6(text: string): Address | undefined {
  if (!/^[0-9a-f:.]+$/i.test(text) || /^::[0-9]+\./.test(text)) return undefined;
  const canonical = canonicalIpv6(text);
  if (canonical === undefined) return undefined;
  const [head = [], tail = []] = canonical.split("::").map((part) => (part === "" ? [] : part.split(":")));
  const zeros = Array<string>(8 - head.length - tail.length).fill("0");
  return {
    bits: 128,
    first: numberOf(
      [...head, ...zeros, ...tail].map((group) => parseInt(group, 16)),
      16n,
    ),
  };
}

/** By the platform's own parser: a host in brackets is an IPv6 address without a zone, or no URL (WHATWG URL §3.5). */
function canonicalIpv6(text: string): string | undefined {
  const url = `http://[${text}]/`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
}

function numberOf(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((all, part) => (all << bits) | BigInt(part), 0n);
}
